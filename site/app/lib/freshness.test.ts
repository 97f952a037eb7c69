import { QueryObserver } from '@tanstack/react-query';
import { expect, it } from 'vitest';
import { ApiError } from './api';
import { freshnessOf, patience } from './freshness';
import { createQueryClient } from './query-client';

// The feed is not followed here: it counts from when the page was opened.
const openedAt = 0;
const justNow = 1000;
const never = () => Number.POSITIVE_INFINITY;

async function afterRefetch(failure: Error | null, first: Error | null = null) {
  const client = createQueryClient();
  let error = first;
  const list = new QueryObserver(client, {
    queryKey: ['list'],
    retry: false,
    queryFn: () => {
      if (error) throw error;
      return 'rows';
    },
  });
  const stop = list.subscribe(() => undefined);
  await list.refetch();
  error = failure;
  await list.refetch();
  return { client, stop };
}

const away = new ApiError('Failed to fetch', 0);

it.each([
  ['a refetch that failed', away, null, 'failed'],
  ['a refetch that was refused', new ApiError('Failed to fetch', 404), null, 'failed'],
  ['a first fetch that failed', away, away, 'failed'],
  [
    'a first fetch that was refused, which the page says',
    new ApiError('No such incident', 404),
    away,
    'fresh',
  ],
  ['a fetch that worked', null, null, 'fresh'],
] as const)('%s', async (_, failure, first, kind) => {
  const { client, stop } = await afterRefetch(failure, first);
  expect(freshnessOf(client, never, justNow, openedAt).kind).toBe(kind);
  stop();
  expect(freshnessOf(client, never, justNow, openedAt).kind, 'once its page was left').toBe('fresh');
});

it('is not a question of how old a cache is', async () => {
  const client = createQueryClient();
  client.setQueryData(['list'], 'rows', { updatedAt: 1 });
  const list = new QueryObserver(client, { queryKey: ['list'], staleTime: 60_000, enabled: false });
  const stop = list.subscribe(() => undefined);
  expect(freshnessOf(client, never, justNow, openedAt).kind).toBe('fresh');
  stop();
});

it('knows a fetch without an answer, and a silent feed', () => {
  const client = createQueryClient();
  const list = new QueryObserver(client, { queryKey: ['list'], queryFn: () => new Promise(() => undefined) });
  const stop = list.subscribe(() => undefined);
  expect(freshnessOf(client, () => -patience, justNow, openedAt)).toEqual({
    kind: 'waiting',
    since: -patience,
  });
  expect(freshnessOf(client, () => 0, justNow, openedAt).kind).toBe('fresh');
  expect(freshnessOf(client, never, patience, openedAt)).toEqual({ kind: 'silent', since: 0 });
  stop();
});
