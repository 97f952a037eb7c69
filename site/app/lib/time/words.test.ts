import { describe, expect, it } from 'vitest';
import { clock } from './counter';
import { duration, nearDay, nightTime, offset, plainDuration, relativeTime, spanTime } from './words';

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
    [5 * 86400, '5 days ago'],
    [-7200, 'in 2 hours'],
  ])('%d seconds ago reads "%s"', (seconds, words) => {
    expect(relativeTime(before(seconds), now)).toBe(words);
  });
});

describe('days', () => {
  const at = (day: number, hours: number) => new Date(2026, 2, day, hours, 8, 14);
  it.each([
    [at(24, 1), at(25, 2), 'yesterday'],
    [at(23, 13), at(25, 12), '2 days ago'],
    [at(24, 0), at(25, 23), 'yesterday'],
    [at(27, 1), at(25, 23), 'in 2 days'],
    // The clocks of Europe change on the 29th.
    [at(28, 12), at(30, 12), '2 days ago'],
  ])('%s at %s is %s', (then, now, words) => expect(relativeTime(then, now)).toBe(words));

  it.each([
    [at(25, 3), at(25, 23), '03:08:14'],
    [at(24, 23), at(25, 4), '23:08:14'],
    [at(24, 3), at(25, 4), 'Tue 24 Mar, 03:08:14'],
    [at(26, 9), at(25, 22), '09:08:14'],
  ])('%s at %s is told by %s', (then, now, words) => expect(nightTime(then, now)).toBe(words));

  it.each([
    [at(25, 0), 'Today'],
    [at(24, 23), 'Yesterday'],
    [at(16, 1), 'Mon 16 Mar'],
  ])('%s is gathered under %s', (then, words) => expect(nearDay(then, at(25, 0))).toBe(words));

  it('name the second one of a span only when it is another', () => {
    expect(spanTime(at(24, 1), at(24, 2))).toMatch(/^Tue 24 Mar, 01:08 to 02:08 \S+$/);
    expect(spanTime(at(24, 23), at(25, 0))).toMatch(/^Tue 24 Mar, 23:08 to Wed 25 Mar, 00:08 \S+$/);
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
