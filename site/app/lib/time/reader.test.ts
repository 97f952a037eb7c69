import { beforeEach, describe, expect, it, vi } from 'vitest';
import { atHour, dayStart, dayText, fullHourAfter, isWeekend, shortDay } from './day';
import { dateOf, later, toDate, toIso, toMs } from './instant';
import { fullTime, nearDay, relativeTime, spanTime } from './words';
import { fromField, readersZone, toField } from './zone';

// What the reader's own clocks show, on the days on which they are changed: 29 March and 25 October.
beforeEach(() => {
  vi.stubEnv('TZ', 'Europe/Berlin');
  return () => vi.unstubAllEnvs();
});

const at = (text: string) => new Date(text);

it('is about the zone of the reader', () => expect(readersZone()).toBe('Europe/Berlin'));

describe('a field without a zone', () => {
  it.each([
    ['2026-03-29T01:30', '2026-03-29T00:30:00.000Z'],
    // Skipped: the first instant after the jump.
    ['2026-03-29T02:30', '2026-03-29T01:00:00.000Z'],
    ['2026-03-29T03:30', '2026-03-29T01:30:00.000Z'],
    // Twice: the first time.
    ['2026-10-25T02:30', '2026-10-25T00:30:00.000Z'],
    ['2026-10-25T03:30', '2026-10-25T02:30:00.000Z'],
  ])('%s is %s', (text, instant) => expect(toIso(fromField(text) ?? 0)).toBe(instant));

  it('shows an instant as the clocks do', () => {
    expect(toField(at('2026-03-29T00:59:00Z'))).toBe('2026-03-29T01:59');
    expect(toField(at('2026-03-29T01:00:00Z'))).toBe('2026-03-29T03:00');
    expect(toField(at('2026-10-25T00:30:00Z'))).toBe('2026-10-25T02:30');
    expect(toField(at('2026-10-25T01:30:00Z'))).toBe('2026-10-25T02:30');
  });

  it('is none while it is incomplete', () => expect(fromField('2026-10-')).toBeNull());
});

describe('days', () => {
  it('begin at their own midnight, whatever the clocks do', () => {
    const length = (day: string) => (Number(dayStart(day, 1)) - Number(dayStart(day))) / 3_600_000;
    expect(['2026-03-28', '2026-03-29', '2026-10-25'].map(length)).toEqual([24, 23, 25]);
    expect(dayText(dayStart('2026-12-31', 1) ?? at('1970-01-01'))).toBe('2027-01-01');
    expect(dayStart('x')).toBeNull();
  });

  it('have their hours by the clock on the wall', () => {
    expect(toIso(atHour(at('2026-03-28T20:00:00Z'), 9, 1))).toBe('2026-03-29T07:00:00.000Z');
    expect(toIso(atHour(at('2026-10-24T20:00:00Z'), 9, 1))).toBe('2026-10-25T08:00:00.000Z');
    expect(toIso(fullHourAfter(at('2026-03-28T22:40:00Z'), 5))).toBe('2026-03-29T02:00:00.000Z');
  });

  it('are told apart by the calendar, not by 24 hours', () => {
    expect(relativeTime(at('2026-03-27T22:30:00Z'), at('2026-03-28T23:30:00Z'))).toBe('2 days ago');
    expect(nearDay(at('2026-10-24T21:30:00Z'), at('2026-10-25T22:30:00Z'))).toBe('Yesterday');
  });

  it('are written short, and know weekends', () => {
    expect(shortDay('2026-11-04')).toBe('4 Nov');
    const days = ['2026-11-20', '2026-11-21', '2026-11-22', '2026-11-23'];
    expect(days.map(isWeekend)).toEqual([false, true, true, false]);
  });
});

it('names the zone as it is called then', () => {
  expect(fullTime(at('2026-03-29T00:59:59Z'))).toMatch(/^Sun 29 Mar, 01:59:59 (CET|GMT\+1)$/);
  expect(fullTime(at('2026-03-29T01:00:00Z'))).toMatch(/^Sun 29 Mar, 03:00:00 (CEST|GMT\+2)$/);
  const span = spanTime(at('2026-10-25T00:30:00Z'), at('2026-10-25T01:30:00Z'));
  expect(span).toMatch(/^Sun 25 Oct, 02:30 to 02:30 (CET|GMT\+1)$/);
});

describe('instants of answers', () => {
  it('are missing or unreadable in one way', () => {
    expect([toDate(undefined), toDate(''), toDate('soon')]).toEqual([null, null, null]);
    expect([undefined, null, 'soon'].map((of) => dateOf(of).getTime())).toEqual([0, 0, 0]);
    expect(toMs(undefined)).toBeNaN();
  });

  it('are sent as they came', () => {
    const text = '2026-03-29T01:00:00.000Z';
    expect(toIso(dateOf(text))).toBe(text);
    expect(toIso(later(at(text), -1000))).toBe('2026-03-29T00:59:59.000Z');
  });
});
