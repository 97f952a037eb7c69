import { describe, expect, it } from 'vitest';
import { changesOf, draftOf, draftOnTop, missingIn, moved, newDraft, newLayer, rotationsOf } from './draft';
import { toSchedule } from './schedule';

const zone = 'Europe/Berlin';
const now = Date.parse('2026-03-25T02:12:00Z');
const mara = { id: 'u1', name: 'Mara Lindqvist' };

describe('a draft', () => {
  it('says what is missing, one thing at a time', () => {
    const draft = newDraft(zone, now);
    expect(missingIn(draft)).toBe('Say who takes turns in Layer 1.');
    const layer = { ...newLayer(1, zone, now), seats: [{ key: 'a', people: [mara] }] };
    expect(missingIn({ ...draft, layers: [layer] })).toBeNull();
    expect(missingIn({ ...draft, layers: [{ ...layer, name: ' ' }] })).toBe('Give layer 1 a name.');
    expect(missingIn({ ...draft, layers: [{ ...layer, startsAt: '' }] })).toBe('Say when Layer 1 starts.');
    expect(missingIn({ ...draft, layers: [{ ...layer, length: Number.NaN }] })).toContain('lasts 1 to 720');
  });

  it('is changed by what would be stored, and by nothing else', () => {
    const draft = newDraft(zone, now);
    const [layer] = draft.layers;
    expect(changesOf(draft, { ...draft, layers: [{ ...newLayer(1, zone, now) }] })).toEqual([]);
    expect(changesOf(draft, { ...draft, name: 'Night' })).toEqual(['name']);
    expect(changesOf(draft, { ...draft, layers: layer ? [{ ...layer, length: 2 }] : [] })).toEqual([
      'layers',
    ]);
    expect(changesOf({ ...draft, name: 'Night' }, { ...draft, name: 'Night' })).toEqual([]);
  });

  it('becomes what the server takes, by the wall clock of its zone', () => {
    const layer = {
      ...newLayer(1, zone, now),
      seats: [
        { key: 'a', people: [mara] },
        { key: 'b', people: [] },
      ],
      endsAt: '2026-03-29T08:00',
    };
    expect(rotationsOf({ ...newDraft(zone, now), layers: [layer] })).toEqual([
      {
        name: 'Layer 1',
        turns: [{ user_ids: ['u1'] }, { user_ids: [] }],
        unit: 'week',
        length: 1,
        handover: '09:00',
        weekday: 'monday',
        starts_at: '2026-03-25T02:12:00.000Z',
        ends_at: '2026-03-29T06:00:00.000Z',
        windows: [],
      },
    ]);
  });

  it('keeps who is put into a new layer while it is saved', () => {
    const layer = { ...newLayer(1, zone, now), seats: [{ key: 'a', people: [mara] }] };
    const sent = { ...newDraft(zone, now), layers: [layer] };
    const both = { ...layer, seats: [...layer.seats, { key: 'b', people: [{ id: 'u2', name: 'Priya' }] }] };
    const stored = { ...sent, layers: [{ ...layer, id: 'r1', key: 'other' }] };
    const next = draftOnTop(sent, { ...sent, layers: [both] }, stored);
    expect(next.layers).toEqual([{ ...both, id: 'r1' }]);
    expect(changesOf(stored, next)).toEqual(['layers']);
  });

  it('gives back a schedule that nobody touched, to the second', () => {
    const rotation = {
      id: 'r1',
      name: 'Night',
      turns: [{ user_ids: ['u1'], users: [mara] }],
      unit: 'day',
      length: 2,
      handover: '20:00',
      // The second time that the clocks show 02:30, and some seconds.
      starts_at: '2025-10-26T01:30:17.000Z',
      windows: [{ days: ['friday'], from: '20:00', to: '08:00' }],
    };
    const draft = draftOf(toSchedule({ timezone: zone, rotations: [rotation] }));
    const { users, ...turn } = rotation.turns[0] ?? { users: [] };
    expect(users).toEqual([mara]);
    expect(rotationsOf(draft)).toEqual([{ ...rotation, turns: [turn] }]);
  });
});

describe('moved', () => {
  it('swaps neighbours and stops at the ends', () => {
    const list = ['a', 'b', 'c'];
    expect(moved(list, 1, -1)).toEqual(['b', 'a', 'c']);
    expect(moved(list, 1, 1)).toEqual(['a', 'c', 'b']);
    expect(moved(list, 0, -1)).toBe(list);
    expect(moved(list, 2, 1)).toBe(list);
  });
});
