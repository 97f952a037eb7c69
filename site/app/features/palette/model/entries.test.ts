import { describe, expect, it } from 'vitest';
import { type Entry, found } from './entries';

const entries: Entry[] = [
  {
    id: 'i1',
    group: 'Incidents',
    word: 'Checkout fails',
    icon: 'triggered',
    state: 'triggered',
    also: '#c41e',
  },
  { id: 'i2', group: 'Incidents', word: 'Slow search', icon: 'acknowledged', state: 'acknowledged' },
  { id: 's1', group: 'Services', word: 'Search Index', icon: 'healthy', note: 'Operational' },
  { id: 'u1', group: 'People', word: 'Tomás Herrera', icon: 'users' },
  { id: 'p1', group: 'Pages', word: 'Incidents', icon: 'incidents' },
];
const ids = (text: string) => found(entries, text).map(({ id }) => id);

describe('what the palette finds', () => {
  it('shows what needs a person and the pages before anything is typed', () => {
    expect(ids('  ')).toEqual(['i1', 'p1']);
  });

  it('needs every word, in any order, without accents and whatever the case', () => {
    expect(ids('herrera TOMAS')).toEqual(['u1']);
    expect(ids('search')).toEqual(['s1', 'i2']);
    expect(ids('search nothing')).toEqual([]);
  });

  it('finds an incident by its short id and a service by its health', () => {
    expect(ids('#c41e')).toEqual(['i1']);
    expect(ids('operational')).toEqual(['s1']);
  });

  it('puts names that begin with the text first and leaves room for the next kind', () => {
    const many = Array.from({ length: 20 }, (_, i) => ({
      ...(entries[2] as Entry),
      id: `s${i}`,
      word: `An index ${i}`,
    }));
    const all = found(
      [...many, { ...(entries[2] as Entry), id: 'first', word: 'Index' }, ...entries],
      'index',
    );
    expect(all.map(({ id }) => id).slice(0, 2)).toEqual(['first', 's0']);
    expect(all.filter(({ group }) => group === 'Services')).toHaveLength(6);
  });
});
