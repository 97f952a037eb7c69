import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { coalesce } from '~/lib/coalesce';
import type { StreamEvent } from '~/lib/event-stream';
import { refetchFailed } from '~/lib/freshness';
import { currentIdentity } from '~/lib/identity';
import { follow } from '~/lib/live';
import { subscribeSession } from '~/lib/session';
import { incidentKeys } from './keys';

const soon = 50;
const gap = 1000;
const summaries = [incidentKeys.counts, incidentKeys.list, ['services']];
// In place of an incident's id.
const everything = '*';

/** Keeps every incident on screen current: what the live feed names is fetched again, everything after a break. */
export function useFollowIncidents(): void {
  const client = useQueryClient();
  const identity = useSyncExternalStore(subscribeSession, currentIdentity, () => null);
  useEffect(() => {
    if (identity === null) return;
    const abort = new AbortController();
    const renew = renewal(client);
    const onForget = () => void client.invalidateQueries();
    const onRenew = () => {
      renew.add(everything);
      refetchFailed(client);
    };
    const onEvent = (event: StreamEvent) => {
      // The server left events out and asks for everything to be loaded again.
      if (event.name === 'resync') onForget();
      else if (event.name !== 'hello') renew.add(incidentOf(event.data));
    };
    follow(identity, { onEvent, onRenew, onForget }, abort.signal);
    return () => {
      abort.abort();
      renew.cancel();
    };
  }, [client, identity]);
}

/**
 * Fetches again what events are about, or everything, at most once a second. What is being fetched
 * may have been read before the event, and begun again for each event a list of many pages would
 * never be there: it ends first, and is then repeated.
 */
export function renewal(client: QueryClient): ReturnType<typeof coalesce<string>> {
  const renew = coalesce<string>(soon, gap, (ids) => {
    // A tab that was hidden meanwhile fetches everything when it is seen again.
    if (document.visibilityState === 'hidden') return;
    // Each by itself: a part that hangs must not keep the incident's status from being fetched.
    const fetchAgain = (queryKey: readonly unknown[], id: string) => {
      for (const query of client.getQueryCache().findAll({ queryKey })) {
        if (query.state.fetchStatus === 'fetching') renew.add(id);
        else client.invalidateQueries({ queryKey: query.queryKey, exact: true });
      }
    };
    for (const queryKey of summaries) fetchAgain(queryKey, '');
    for (const id of ids)
      if (id !== '') fetchAgain(id === everything ? incidentKeys.ones : incidentKeys.one(id), id);
  });
  return renew;
}

/** The incident that an event of the feed is about; an empty string when it names none. */
export function incidentOf(data: string): string {
  try {
    const event: unknown = JSON.parse(data);
    if (typeof event !== 'object' || event === null || !('incident_id' in event)) return '';
    return String(event.incident_id);
  } catch {
    return '';
  }
}
