import { describe, expect, it } from 'vitest';
import { ApiError } from './api';
import { changedFields, idsOnTop, isConflict, onTop, theirChanges } from './edits';
import { listOnTop } from './list-on-top';

describe('edits at the same time', () => {
  it('keep what either changed, and of the same field what is written here', () => {
    const base = { name: 'Nights', description: '', zone: 'UTC' };
    const mine = { ...base, name: 'Mine' };
    expect(onTop(base, mine, { name: 'Theirs', description: 'New', zone: 'UTC' })).toEqual({
      name: 'Mine',
      description: 'New',
      zone: 'UTC',
    });
  });
  it('are told from other failures', () => {
    expect(isConflict(new ApiError('Failed', 412))).toBe(true);
    expect(isConflict(new ApiError('Failed', 409))).toBe(false);
    expect(isConflict(null)).toBe(false);
  });

  it('differ in the fields that one side changed', () => {
    expect(changedFields({ a: 1, b: [1], c: '' }, { a: 1, b: [2], c: 'x' })).toEqual(['b', 'c']);
  });
});

describe('lists that two people edit', () => {
  const item = (id: string, text = id, key = id) => ({ id, text, key });
  const base = [item('a'), item('b')];
  const merged = (mine: readonly ReturnType<typeof item>[], theirs: readonly ReturnType<typeof item>[]) =>
    listOnTop(base, mine, theirs, ({ text }) => text).map(({ text }) => text);

  it('keep what either changed, added or took out', () => {
    expect(merged([item('a', 'mine'), item('b')], [item('b', 'theirs'), item('a')])).toEqual([
      'theirs',
      'mine',
    ]);
    expect(merged([item('a', 'mine'), item('b')], [item('a'), item('b'), item('c')])).toEqual([
      'mine',
      'b',
      'c',
    ]);
    expect(merged([item('b')], [item('a', 'theirs'), item('b')])).toEqual(['b']);
    expect(merged([item('a'), item('b'), item('', 'new')], [item('a', 'theirs'), item('b')])).toEqual([
      'theirs',
      'b',
      'new',
    ]);
  });

  it('are as they are here when both changed which there are', () => {
    expect(merged([item('b')], [item('a'), item('b'), item('c')])).toEqual(['b']);
  });

  it('know what was new when it was sent, whatever was done with it until it was stored', () => {
    const sent = [item('a'), item('', 'b', 'k1'), item('', 'c', 'k2')];
    const stored = [item('a'), item('b'), item('c')];
    const [a, b, c] = sent as [(typeof sent)[0], (typeof sent)[0], (typeof sent)[0]];
    const goesOnAs = (mine: typeof sent) =>
      listOnTop(sent, mine, stored, ({ text }) => text).map(({ id, text }) => `${id} ${text}`);
    expect(goesOnAs([a, { ...b, text: 'mine' }, c])).toEqual(['a a', 'b mine', 'c c']);
    expect(goesOnAs([c, a, { ...b, text: 'mine' }])).toEqual(['c c', 'a a', 'b mine']);
    expect(goesOnAs([a, { ...c, text: 'mine' }])).toEqual(['a a', 'c mine']);
    expect(goesOnAs([a, b, item('', 'new', 'k3'), c])).toEqual(['a a', 'b b', ' new', 'c c']);
  });

  it('of people have whom either added, and nobody whom either took out', () => {
    expect(idsOnTop(['a', 'b', 'c'], ['b', 'c', 'd'], ['a', 'b', 'e'])).toEqual(['b', 'e', 'd']);
  });
});

it('says what somebody else changed, and whether it was changed here', () => {
  const text = (label: string, field: 'name' | 'about') => ({
    label,
    stored: (of: { name: string; about: string }) => of[field],
    words: (of: { name: string; about: string }) => of[field],
  });
  const fields = [text('Name', 'name'), text('About', 'about')];
  const base = { name: 'Nights', about: '' };
  expect(theirChanges(fields, base, { name: 'Theirs', about: 'New' }, { ...base, name: 'Mine' })).toEqual([
    { label: 'Name', was: 'Nights', theirs: 'Theirs', yours: 'Mine' },
    { label: 'About', was: 'nothing', theirs: 'New', yours: null },
  ]);
});
