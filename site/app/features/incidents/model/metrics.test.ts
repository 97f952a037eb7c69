import { expect, it } from 'vitest';
import { countChange, timeChange } from './metrics';

const words = (change: ReturnType<typeof countChange>) => change && `${change.lead} ${change.rest}`;

it('says how the number of incidents changed', () => {
  expect(words(countChange(3, 5))).toBe('2 fewer than last week');
  expect(words(countChange(6, 5))).toBe('1 more than last week');
  expect(words(countChange(5, 5))).toBe('As many as last week');
  expect(countChange(3, 5)?.better).toBe(true);
  expect(countChange(undefined, 5)).toBeNull();
});

it('says how an average time changed, and nothing when a week had none', () => {
  expect(words(timeChange(765, 855))).toBe('1m 30s faster than last week');
  expect(words(timeChange(8100, 7500))).toBe('10m slower than last week');
  expect(timeChange(8100, 7500)?.better).toBe(false);
  expect(words(timeChange(60, 60))).toBe('As fast as last week');
  expect(timeChange(60, undefined)).toBeNull();
});
