import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { coalesce } from './coalesce';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it('shows one event soon and does the work of a storm once a gap', () => {
  const done: string[][] = [];
  const gather = coalesce<string>(50, 1000, (items) => done.push([...items]));
  gather.add('a');
  vi.advanceTimersByTime(50);
  expect(done).toEqual([['a']]);
  gather.add('b');
  gather.add('c');
  gather.add('b');
  vi.advanceTimersByTime(900);
  expect(done).toHaveLength(1);
  vi.advanceTimersByTime(100);
  expect(done).toEqual([['a'], ['b', 'c']]);
});

it('forgets what was gathered when it is cancelled', () => {
  const work = vi.fn();
  const gather = coalesce<string>(50, 1000, work);
  gather.add('a');
  gather.cancel();
  vi.advanceTimersByTime(2000);
  expect(work).not.toHaveBeenCalled();
});
