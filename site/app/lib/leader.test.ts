import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { lead } from './leader';

// jsdom has no locks, which is as on plain HTTP: the lease is what is tried here.
beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** A tab that wants to lead, and what it did. */
function tab(log: string[], name: string): AbortController {
  const closing = new AbortController();
  const work = async (signal: AbortSignal) => {
    log.push(`${name} leads`);
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    log.push(`${name} ends`);
  };
  void lead('feed', work, closing.signal);
  return closing;
}

it('lets one of many tabs lead, and the next one when it closes', async () => {
  const log: string[] = [];
  const first = tab(log, 'a');
  const others = [tab(log, 'b'), tab(log, 'c')];
  await vi.advanceTimersByTimeAsync(10_000);
  expect(log).toHaveLength(1);
  const leader = log[0]?.startsWith('a') ? first : others[log[0]?.startsWith('b') ? 0 : 1];
  leader?.abort();
  await vi.advanceTimersByTimeAsync(2000);
  expect(log.filter((line) => line.endsWith('leads'))).toHaveLength(2);
  for (const one of [first, ...others]) one.abort();
  await vi.advanceTimersByTimeAsync(2000);
  expect(localStorage.getItem('feed')).toBeNull();
});

it('replaces within 2 s a leader that vanished without a word', async () => {
  // Its last renewal was just now.
  localStorage.setItem('feed', `vanished ${Date.now() + 1500}`);
  const log: string[] = [];
  const next = tab(log, 'b');
  await vi.advanceTimersByTimeAsync(1400);
  expect(log).toEqual([]);
  await vi.advanceTimersByTimeAsync(600);
  expect(log).toEqual(['b leads']);
  next.abort();
});

it('stops when another tab has taken the lease, and takes it again when that one is gone', async () => {
  const log: string[] = [];
  const slow = tab(log, 'a');
  await vi.advanceTimersByTimeAsync(1000);
  localStorage.setItem('feed', `another ${Date.now() + 1500}`);
  await vi.advanceTimersByTimeAsync(1000);
  expect(log).toEqual(['a leads', 'a ends']);
  await vi.advanceTimersByTimeAsync(2000);
  expect(log).toEqual(['a leads', 'a ends', 'a leads']);
  slow.abort();
});
