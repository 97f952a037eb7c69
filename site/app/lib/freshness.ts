import { notifyManager, type Query, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { ApiError } from './api';
import { feed } from './live';
import { worthRepeating } from './query-client';

/** Whether what is on screen is what the server has, as far as this browser can know. */
export type Freshness =
  | { kind: 'fresh' }
  /** The feed is silent since then; 0 when it was never heard. */
  | { kind: 'silent'; since: number }
  /** Something could not be fetched; what is shown in its place is from then, 0 when nothing is. */
  | { kind: 'failed'; since: number }
  /** Something was asked for then, and has no answer. */
  | { kind: 'waiting'; since: number };

/** A feed or a fetch that is silent for so long is said to be. The server's heartbeat is every 4 s. */
export const patience = 10_000;

const lookEvery = 1000;
const retryEvery = 15_000;

/**
 * The freshness of everything on screen, and the way to fetch again what failed. It is looked at
 * every second, so that a computer that slept claims nothing for longer than that.
 */
export function useFreshness(): { freshness: Freshness; tryAgain: () => void } {
  const client = useQueryClient();
  const waits = useRef<ReturnType<typeof watchFetches> | null>(null);
  const last = useRef<Freshness>({ kind: 'fresh' });
  const [openedAt] = useState(Date.now);
  const subscribe = useCallback(
    (changed: () => void) => {
      // The cache changes while components are drawn; the bar is drawn after them.
      const notify = notifyManager.batchCalls(changed);
      waits.current = watchFetches(client);
      const stopWatching = client.getQueryCache().subscribe(notify);
      const look = setInterval(notify, lookEvery);
      document.addEventListener('visibilitychange', notify);
      return () => {
        waits.current?.stop();
        stopWatching();
        clearInterval(look);
        document.removeEventListener('visibilitychange', notify);
      };
    },
    [client],
  );
  const read = () => {
    const now = freshnessOf(client, waits.current?.since ?? Date.now, Date.now(), openedAt);
    if (JSON.stringify(now) !== JSON.stringify(last.current)) last.current = now;
    return last.current;
  };
  const freshness = useSyncExternalStore(subscribe, read, read);
  const tryAgain = useCallback(() => void refetchFailed(client), [client]);
  useEffect(() => {
    // A card that says itself that it failed has its own button, and would flicker.
    const timer = setInterval(
      () => refetchFailed(client, ({ state }) => state.data !== undefined),
      retryEvery,
    );
    return () => clearInterval(timer);
  }, [client]);
  return { freshness, tryAgain };
}

/** Fetches again what is on screen and failed for want of an answer. */
export function refetchFailed(
  client: QueryClient,
  also: (query: Query) => boolean = () => true,
): Promise<void> {
  return client.refetchQueries({
    type: 'active',
    predicate: (query) => hasFailed(query) && query.state.fetchStatus === 'idle' && also(query),
  });
}

/** What can be said now. `askedAt` tells since when a query waits for its answer, `openedAt` since when there is a page. */
export function freshnessOf(
  client: QueryClient,
  askedAt: (query: Query) => number,
  now: number,
  openedAt: number,
): Freshness {
  const { heardAt, since } = feed();
  if (now - (heardAt || since || openedAt) >= patience) return { kind: 'silent', since: heardAt };
  const active = client.getQueryCache().findAll({ type: 'active' });
  const failed = active.filter(hasFailed);
  if (failed.length > 0)
    return { kind: 'failed', since: Math.min(...failed.map((query) => query.state.dataUpdatedAt)) };
  const asked = active
    .filter(({ state }) => state.fetchStatus === 'fetching')
    .map(askedAt)
    .filter((at) => now - at >= patience);
  return asked.length > 0 ? { kind: 'waiting', since: Math.min(...asked) } : { kind: 'fresh' };
}

// A refusal is an answer, which the page shows; on top of older data it makes that data old.
function hasFailed({ state: { error, data, status } }: Query): boolean {
  if (status !== 'error' || !error) return false;
  if (error instanceof ApiError && error.status === 401) return false;
  return data !== undefined || worthRepeating(error);
}

// Begun again for an event, a fetch still waits since it was first asked for: it counts from there
// until an answer or the end of its page.
function watchFetches(client: QueryClient): { since: (query: Query) => number; stop: () => void } {
  const began = new Map<Query, number>();
  const stop = client.getQueryCache().subscribe((event) => {
    const { query } = event;
    if (event.type === 'updated' && event.action.type === 'fetch' && !began.has(query))
      began.set(query, Date.now());
    const answered = event.type === 'updated' && /^(success|error)$/.test(event.action.type);
    const left = event.type === 'removed' || (event.type === 'observerRemoved' && !query.isActive());
    if (answered || left) began.delete(query);
  });
  const since = (query: Query) => {
    if (!began.has(query)) began.set(query, Date.now());
    return began.get(query) ?? Date.now();
  };
  return { since, stop };
}
