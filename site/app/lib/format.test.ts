import { describe, expect, it } from 'vitest';
import { capitalised, clock, duration, offset, plainDuration, relativeTime, shortId } from './format';

const now = new Date('2026-03-25T03:12:26Z');
const before = (seconds: number) => new Date(now.getTime() - seconds * 1000);

describe('relativeTime', () => {
  it.each([
    [0, 'just now'],
    [44, 'just now'],
    [252, '4 minutes ago'],
    [3599, '59 minutes ago'],
    [3600, '1 hour ago'],
    [23 * 3600, '23 hours ago'],
    [30 * 3600, 'yesterday'],
    [5 * 86400, '5 days ago'],
    [-7200, 'in 2 hours'],
  ])('%d seconds ago reads "%s"', (seconds, words) => {
    expect(relativeTime(before(seconds), now)).toBe(words);
  });
});

it.each([
  [-5, '0s'],
  [12, '12s'],
  [252, '4m 12s'],
  [8100, '2h 15m'],
  [187200, '2d 4h'],
])('duration of %d seconds is %s', (seconds, words) => expect(duration(seconds)).toBe(words));

it.each([
  [300, '5m'],
  [90, '1m 30s'],
  [3600, '1h'],
  [0, '0s'],
])('a chosen duration of %d seconds is %s', (seconds, words) => expect(plainDuration(seconds)).toBe(words));

it.each([
  [-1, '00:00'],
  [48, '00:48'],
  [252, '04:12'],
  [3852, '1:04:12'],
])('clock of %d seconds is %s', (seconds, words) => expect(clock(seconds)).toBe(words));

it.each([
  [0.31, '+0.3s'],
  [9.96, '+10s'],
  [42, '+42s'],
  [240, '+4:00'],
  [3852, '+1:04:12'],
])('offset of %d seconds is %s', (seconds, words) => expect(offset(seconds)).toBe(words));

it('refers to an incident by the last four characters of its id', () => {
  expect(shortId('01993c5e-7f00-7000-8000-00000000c41e')).toBe('#c41e');
});

it('capitalises a severity', () => expect(capitalised('critical')).toBe('Critical'));
