import { expect, it } from 'vitest';
import { quantile } from './figures';

it('gives a value that was measured, whatever their order', () => {
  const samples = [9, 1, 5, 3, 7];
  expect([quantile(samples, 0.5), quantile(samples, 0.95), quantile(samples, 0.01)]).toEqual([5, 9, 1]);
  expect(quantile([4], 0.95)).toBe(4);
  expect(samples).toEqual([9, 1, 5, 3, 7]);
});
