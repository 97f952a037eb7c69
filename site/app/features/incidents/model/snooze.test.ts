import { expect, it } from 'vitest';
import { snoozes } from './snooze';

const morningOf = (now: Date) => snoozes(now).at(-1)?.until;

it('offers three short times and the next morning', () => {
  const night = new Date(2026, 10, 24, 3, 8, 14);
  expect(snoozes(night).map(({ seconds }) => seconds)).toEqual([1800, 3600, 14_400, 21_106]);
});

it('means tomorrow where the morning is less than four hours away, or over', () => {
  expect(morningOf(new Date(2026, 10, 24, 6))).toEqual(new Date(2026, 10, 25, 9));
  expect(morningOf(new Date(2026, 10, 24, 22))).toEqual(new Date(2026, 10, 25, 9));
});
