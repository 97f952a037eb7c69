import { expect, it, vi } from 'vitest';
import { coalesce } from './coalesce';

it('does the work of a storm once', () => {
  vi.useFakeTimers();
  const done: string[][] = [];
  const gather = coalesce<string>(250, (items) => done.push([...items]));
  gather.add('a');
  gather.add('b');
  gather.add('a');
  vi.advanceTimersByTime(250);
  gather.add('c');
  vi.advanceTimersByTime(250);
  expect(done).toEqual([['a', 'b'], ['c']]);
  gather.add('d');
  gather.cancel();
  vi.advanceTimersByTime(250);
  expect(done).toHaveLength(2);
  vi.useRealTimers();
});
