import { afterEach, describe, expect, it, vi } from 'vitest';
import { calendarDay } from './zone';
import { clockChangeWords, lengthWords, rangeWords, soonWords, spanWords, withZone } from './zone-words';

const zone = 'Europe/Berlin';
const at = (text: string) => Date.parse(text);
const hour = 3_600_000;

describe('lengths', () => {
  it.each([
    [0.5, '30 min'],
    [6, '6 h'],
    [6.25, '6 h 15 min'],
    [24, '1 day'],
    [36, '1 day 12 h'],
    [168, '7 days'],
  ])('%s hours read "%s"', (hours, words) => {
    expect(lengthWords(hours * hour)).toBe(words);
  });
});

describe('spans and ranges', () => {
  it('name the second day only when it is another', () => {
    expect(spanWords(at('2026-03-28T07:00:00Z'), at('2026-03-28T13:00:00Z'), zone)).toBe(
      'Sat 28 Mar 08:00 to 14:00',
    );
    expect(spanWords(at('2026-03-28T19:00:00Z'), at('2026-03-29T06:00:00Z'), zone)).toBe(
      'Sat 28 Mar 20:00 to Sun 29 Mar 08:00',
    );
    expect(spanWords(at('2026-03-28T19:00:00Z'), Number.POSITIVE_INFINITY, zone)).toBe(
      'From Sat 28 Mar 20:00 on',
    );
  });

  it('name the month once', () => {
    const range = (from: string, to: string) =>
      rangeWords(at(from), at(to), zone, at('2026-02-01T00:00:00Z'));
    expect(range('2026-03-22T23:00:00Z', '2026-03-29T22:00:00Z')).toBe('23 to 29 March');
    expect(range('2026-03-29T22:00:00Z', '2026-04-05T22:00:00Z')).toBe('30 March to 5 April');
    expect(range('2026-03-24T23:00:00Z', '2026-03-25T23:00:00Z')).toBe('Wed 25 March');
    expect(range('2027-03-24T23:00:00Z', '2027-03-26T23:00:00Z')).toBe('25 to 26 March 2027');
  });

  it('are short when they are soon', () => {
    const now = at('2026-03-25T02:12:00Z');
    expect(soonWords(at('2026-03-25T07:00:00Z'), zone, now)).toBe('08:00');
    expect(soonWords(at('2026-03-28T07:00:00Z'), zone, now)).toBe('Sat 08:00');
    expect(soonWords(at('2026-04-28T07:00:00Z'), zone, now)).toBe('Tue 28 Apr 09:00');
  });
});

describe('a change of the clocks', () => {
  it('says what it does to its day', () => {
    expect(clockChangeWords(calendarDay(2026, 3, 29, zone), hour)).toBe(
      'Clocks go forward: Sunday has 23 hours',
    );
    expect(clockChangeWords(calendarDay(2026, 10, 25, zone), -hour)).toBe(
      'Clocks go back: Sunday has 25 hours',
    );
    expect(clockChangeWords(calendarDay(2026, 4, 5, 'Australia/Lord_Howe'), -hour / 2)).toBe(
      'Clocks go back: Sunday has 24 h 30 min',
    );
  });
});

describe('the zone of a time', () => {
  afterEach(() => vi.unstubAllEnvs());

  it.each([
    ['Asia/Kolkata', 'Asia/Calcutta', '08:00'],
    ['Europe/Kyiv', 'Europe/Kiev', '08:00'],
    ['Europe/Paris', 'Europe/Berlin', '08:00'],
    // The same today, though not all year.
    ['Africa/Lagos', 'Europe/Berlin', '08:00 Africa/Lagos'],
    ['Asia/Jerusalem', 'Europe/Athens', '08:00 Asia/Jerusalem'],
    ['Asia/Tokyo', 'Europe/Berlin', '08:00 Asia/Tokyo'],
  ])('%s read in %s is "%s"', (zone, reader, words) => {
    vi.stubEnv('TZ', reader);
    expect(withZone('08:00', zone)).toBe(words);
  });
});
