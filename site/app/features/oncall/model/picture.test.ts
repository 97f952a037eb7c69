import { describe, expect, it } from 'vitest';
import { blockAfter, dayLanes, gapsOf, jumpsOf, percent, shortNamesOf, wideLanes } from './picture';
import { rangeAt, rangeBeside, spans } from './range';
import type { Shift, Timeline } from './schedule';
import { takeOver } from './take-over';

const zone = 'Europe/Berlin';
const at = (text: string) => Date.parse(text);
const hour = 3_600_000;
const mara = { id: 'u1', name: 'Mara Lindqvist' };
const jonas = { id: 'u2', name: 'Jonas Okafor' };
const shift = (
  from: string,
  to: string,
  people: Shift['people'],
  because: Shift['because'] = 'rotation',
) => ({
  from: at(from),
  to: at(to),
  people,
  because: people.length === 0 ? ('nothing' as const) : because,
  becauseId: 'r1',
  becauseName: 'Night',
});
const range = rangeAt(at('2026-03-27T12:00:00Z'), 'week', zone);
const timeline: Timeline = {
  from: at('2026-03-12T00:00:00Z'),
  to: at('2026-04-20T00:00:00Z'),
  zone,
  final: [
    shift('2026-03-12T00:00:00Z', '2026-03-28T07:00:00Z', [mara]),
    shift('2026-03-28T07:00:00Z', '2026-03-28T13:00:00Z', []),
    shift('2026-03-28T13:00:00Z', '2026-04-20T00:00:00Z', [jonas]),
  ],
  layers: [
    { id: 'r1', name: 'Night', shifts: [shift('2026-03-28T13:00:00Z', '2026-03-29T13:00:00Z', [jonas])] },
  ],
  overrides: [],
  clockChanges: [{ at: at('2026-03-29T01:00:00Z'), message: '02:00 becomes 03:00' }],
};

describe('ranges', () => {
  it('are whole days of the zone, so the week with the change is 167 hours', () => {
    expect((range.to - range.from) / hour).toBe(167);
    expect(range.from).toBe(at('2026-03-26T23:00:00Z'));
  });

  it.each(spans.map((span) => span.value))('lie side by side without a hole: %s', (span) => {
    const here = rangeAt(at('2026-03-27T12:00:00Z'), span, zone);
    expect(rangeBeside(here, span, 1, zone).from).toBe(here.to);
    expect(rangeBeside(here, span, -1, zone).to).toBe(here.from);
  });

  it('of a month are the calendar month', () => {
    const month = rangeAt(at('2026-03-27T12:00:00Z'), 'month', zone);
    expect((month.to - month.from) / hour).toBe(31 * 24 - 1);
  });
});

describe('lanes', () => {
  const lanes = wideLanes(timeline, range, () => '');

  it('show the final schedule and every layer, and overrides only when there are some', () => {
    expect(lanes.map((lane) => lane.name)).toEqual(['Final schedule', 'Night']);
  });

  it('cut what is drawn but keep the whole shift', () => {
    const [first] = lanes[0]?.blocks ?? [];
    expect(first).toMatchObject({ from: range.from, shift: { from: at('2026-03-12T00:00:00Z') } });
  });

  it('cover the range without a hole or an overlap', () => {
    const blocks = lanes[0]?.blocks ?? [];
    expect(blocks[0]?.from).toBe(range.from);
    expect(blocks.at(-1)?.to).toBe(range.to);
    for (const [i, block] of blocks.entries()) if (i > 0) expect(block.from).toBe(blocks[i - 1]?.to);
  });

  it('place an instant true to time', () => {
    expect(percent(range.from + 16.7 * hour, range)).toBeCloseTo(10);
  });

  it('are one a day on a phone, and the day of the change is 23 hours', () => {
    const days = dayLanes(timeline, range);
    expect(days).toHaveLength(7);
    expect(days.map((day) => (day.to - day.from) / hour)).toEqual([24, 24, 23, 24, 24, 24, 24]);
  });
});

describe('arrow keys', () => {
  const lanes = wideLanes(timeline, range, () => '');
  it('move along a lane, and between lanes to the nearest shift', () => {
    expect(blockAfter(lanes, { lane: 0, place: 0 }, 'ArrowRight')).toEqual({ lane: 0, place: 1 });
    expect(blockAfter(lanes, { lane: 0, place: 2 }, 'ArrowRight')).toBeNull();
    expect(blockAfter(lanes, { lane: 0, place: 0 }, 'End')).toEqual({ lane: 0, place: 2 });
    expect(blockAfter(lanes, { lane: 0, place: 0 }, 'ArrowDown')).toEqual({ lane: 1, place: 0 });
    expect(blockAfter(lanes, { lane: 1, place: 0 }, 'ArrowUp')).toEqual({ lane: 0, place: 1 });
    expect(blockAfter(lanes, { lane: 0, place: 0 }, 'a')).toBeNull();
  });

  it('go on to the next day where a lane is a day', () => {
    const days = dayLanes(timeline, range);
    expect(blockAfter(days, { lane: 0, place: 0 }, 'ArrowRight')).toEqual({ lane: 1, place: 0 });
    expect(blockAfter(days, { lane: 2, place: 0 }, 'ArrowLeft')).toEqual({ lane: 1, place: 2 });
  });
});

describe('what the picture says', () => {
  it('names gaps that are not over', () => {
    expect(gapsOf(timeline, range, at('2026-03-27T12:00:00Z'))).toHaveLength(1);
    expect(gapsOf(timeline, range, at('2026-03-28T13:00:00Z'))).toHaveLength(0);
  });

  it('knows which way the clocks go', () => {
    expect(jumpsOf(timeline, range)).toMatchObject([{ by: hour, day: { day: 29, weekday: 0 } }]);
  });

  it('tells two people of one first name apart', () => {
    const names = shortNamesOf([mara, jonas, { id: 'u9', name: 'Mara Silva' }, mara]);
    expect([...names.values()]).toEqual(['Mara L.', 'Jonas', 'Mara S.']);
  });
});

describe('taking a shift', () => {
  const [night, gap] = timeline.final;
  it('covers one person, from now on', () => {
    if (!night) throw new Error('a shift expected');
    const now = at('2026-03-27T12:00:00Z');
    expect(takeOver({ shift: night, to: range.to }, 's1', jonas, now)).toMatchObject({
      kind: 'cover',
      personId: 'u2',
      replacesId: 'u1',
      from: now,
      to: night.to,
    });
  });

  it('ends with the picture when the shift has no known end', () => {
    if (!night) throw new Error('a shift expected');
    const endless = { shift: { ...night, to: Number.POSITIVE_INFINITY }, to: range.to };
    expect(takeOver(endless, 's1', jonas, 0)).toMatchObject({ to: range.to });
  });

  it('takes over where there is nobody to cover', () => {
    if (!gap) throw new Error('a gap expected');
    expect(takeOver({ shift: gap, to: range.to }, 's1', jonas, 0)).toMatchObject({
      kind: 'take_over',
      replacesId: '',
      from: gap.from,
    });
  });
});
