import { describe, expect, it } from 'vitest';
import { timezones } from '~/lib/time/timezones';
import {
  calendarDay,
  daysBetween,
  fromField,
  instantOf,
  nightsBetween,
  offsetAt,
  toField,
  wallOf,
} from './zone';

const hour = 3_600_000;
const at = (text: string) => Date.parse(text);
const wall = (text: string) => {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = text.split(/\D/).map(Number);
  return { year, month, day, hour, minute };
};

describe('instantOf', () => {
  it.each([
    ['Europe/Berlin', '2026-03-28 08:00', '2026-03-28T07:00:00Z'],
    ['Europe/Berlin', '2026-03-29 08:00', '2026-03-29T06:00:00Z'],
    // Skipped: the first instant after the jump.
    ['Europe/Berlin', '2026-03-29 02:30', '2026-03-29T01:00:00Z'],
    ['America/New_York', '2026-03-08 02:00', '2026-03-08T07:00:00Z'],
    ['Australia/Lord_Howe', '2026-10-04 02:15', '2026-10-03T15:30:00Z'],
    // Twice: the first time.
    ['Europe/Berlin', '2026-10-25 02:30', '2026-10-25T00:30:00Z'],
    ['Australia/Lord_Howe', '2026-04-05 01:45', '2026-04-04T14:45:00Z'],
    ['Antarctica/Troll', '2026-03-29 02:00', '2026-03-29T01:00:00Z'],
    // Midnight itself is skipped.
    ['America/Sao_Paulo', '2018-11-04 00:00', '2018-11-04T03:00:00Z'],
    // A whole day is skipped.
    ['Pacific/Apia', '2011-12-30 12:00', '2011-12-30T10:00:00Z'],
    ['Africa/Casablanca', '2026-02-15 02:30', '2026-02-15T01:30:00Z'],
    ['Asia/Kathmandu', '2026-06-01 00:00', '2026-05-31T18:15:00Z'],
    ['UTC', '2026-06-01 00:00', '2026-06-01T00:00:00Z'],
  ])('%s %s is %s', (zone, text, instant) => {
    expect(new Date(instantOf(wall(text), zone)).toISOString()).toBe(new Date(instant).toISOString());
  });

  it.each([...timezones, 'Australia/Lord_Howe', 'Africa/Casablanca', 'Asia/Kathmandu'])(
    'undoes wallOf in %s throughout the year',
    (zone) => {
      for (let time = at('2026-01-01T00:00:00Z'); time < at('2027-01-01T00:00:00Z'); time += 3.5 * hour) {
        const back = instantOf(wallOf(time, zone), zone);
        // The second showing of an hour reads as the first.
        if (back !== time) expect(offsetAt(back, zone)).toBeGreaterThan(offsetAt(time, zone));
      }
    },
  );

  it('reads an unknown zone as UTC', () => {
    expect(wallOf(at('2026-03-01T05:06:00Z'), 'Mars/Base').hour).toBe(5);
  });
});

describe('days', () => {
  it('are as long as they are', () => {
    const hours = (month: number, day: number) => {
      const { from, to } = calendarDay(2026, month, day, 'Europe/Berlin');
      return (to - from) / hour;
    };
    expect([hours(3, 28), hours(3, 29), hours(10, 25)]).toEqual([24, 23, 25]);
  });

  it('count a day beyond the month into the next', () => {
    expect(calendarDay(2026, 12, 32, 'UTC')).toMatchObject({ year: 2027, month: 1, day: 1, weekday: 5 });
  });

  it('follow each other across a change of the clocks', () => {
    const days = daysBetween(at('2026-10-23T22:00:00Z'), at('2026-10-27T23:00:00Z'), 'Europe/Berlin');
    expect(days.map((day) => day.day)).toEqual([24, 25, 26, 27]);
    for (const [i, day] of days.entries()) if (i > 0) expect(day.from).toBe(days[i - 1]?.to);
  });

  it('have nights of 22 to 06 on the wall, shorter when the clocks go forward', () => {
    const nights = nightsBetween(at('2026-03-28T12:00:00Z'), at('2026-03-29T12:00:00Z'), 'Europe/Berlin');
    expect(nights).toEqual([{ from: at('2026-03-28T21:00:00Z'), to: at('2026-03-29T04:00:00Z') }]);
  });
});

describe('the fields of a form', () => {
  it('hold the wall clock of the zone', () => {
    expect(toField(at('2026-03-29T06:00:00Z'), 'Europe/Berlin')).toBe('2026-03-29T08:00');
    expect(fromField('2026-03-29T08:00', 'Europe/Berlin')).toBe(at('2026-03-29T06:00:00Z'));
    expect(fromField('2026-03-', 'Europe/Berlin')).toBeNull();
  });
});
