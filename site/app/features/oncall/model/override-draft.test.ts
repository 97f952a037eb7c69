import { describe, expect, it } from 'vitest';
import { theirChanges } from '~/lib/edits';
import {
  begunAt,
  type OverrideDraft,
  onSchedule,
  overrideDraft,
  overrideDraftWords,
  wantedOf,
} from './override-draft';

const zone = 'Europe/Berlin';
const at = (text: string) => Date.parse(text);
const schedule = { id: 's1', zone, onCallId: 'u2' };
const now = at('2026-10-24T18:00:30Z');
const draft = overrideDraft(begunAt({}, now), schedule, 'u1');

describe('an override that is begun', () => {
  it('takes over for twelve hours, across a change of the clocks too', () => {
    expect(draft).toMatchObject({ kind: 'take_over', personId: 'u1', replacesId: 'u2' });
    expect([draft.from, draft.to]).toEqual(['2026-10-24T20:00', '2026-10-25T07:00']);
  });

  it('keeps times that were not touched as exact as they were', () => {
    const start = { from: now, to: at('2026-10-25T01:30:15Z') };
    const begun = overrideDraft(start, schedule, 'u1');
    expect(wantedOf(begun, zone, start)).toMatchObject(start);
    const moved = { ...begun, from: '2026-10-24T21:00' };
    expect(wantedOf(moved, zone, start)).toMatchObject({ from: at('2026-10-24T19:00:00Z'), to: start.to });
  });

  it('keeps its instants and covers who is on call where it goes, unless that was changed', () => {
    const start = begunAt({}, now);
    const other = { id: 's2', zone: 'Europe/London', onCallId: '' };
    const there = onSchedule(draft, start, schedule, other);
    expect(there).toMatchObject({ scheduleId: 's2', replacesId: '', from: '2026-10-24T19:00' });
    expect(wantedOf(there, other.zone, start)).toMatchObject({ from: start.from, to: start.to });
    expect(onSchedule(there, start, other, schedule)).toEqual(draft);
    const written = { ...draft, from: '2026-10-25T09:00', replacesId: 'u3' };
    expect(onSchedule(written, start, schedule, other)).toEqual({
      ...written,
      scheduleId: 's2',
      to: there.to,
    });
  });

  it('is none while it ends before it begins, or has no end', () => {
    expect(wantedOf({ ...draft, to: draft.from }, zone, {})).toBeNull();
    expect(wantedOf({ ...draft, to: '' }, zone, {})).toBeNull();
  });
});

it('is told in words beside what somebody else stored', () => {
  const fields = overrideDraftWords(zone, (id) => (id === 'u1' ? 'Mara' : 'Jonas'));
  const theirs: OverrideDraft = { ...draft, kind: 'cover', to: '2026-10-24T22:00' };
  expect(theirChanges(fields, draft, theirs, { ...draft, kind: 'vacant' })).toEqual([
    { label: 'Who', was: 'Mara instead of everybody', theirs: 'Mara instead of Jonas', yours: 'nobody' },
    {
      label: 'When',
      was: 'Sat 24 Oct 20:00 to Sun 25 Oct 07:00',
      theirs: 'Sat 24 Oct 20:00 to 22:00',
      yours: null,
    },
  ]);
});
