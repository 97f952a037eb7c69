import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { coalesce } from '~/lib/coalesce';
import type { StreamEvent } from '~/lib/event-stream';
import { follow } from '~/lib/live';
import { incidentKeys } from './keys';

const soon = 50;
const gap = 1000;
const longLists = [incidentKeys.list, ['services']];

/** Keeps every incident on screen current: what the live feed names is fetched again, everything after a break. */
export function useFollowIncidents(): void {
  const client = useQueryClient();
  useEffect(() => {
    const abort = new AbortController();
    const renew = renewal(client);
    const renewAll = () => client.invalidateQueries({ queryKey: incidentKeys.all });
    const onEvent = (event: StreamEvent) => {
      // The server left events out and asks for everything to be loaded again.
      if (event.name === 'resync') renewAll();
      else if (event.name !== 'hello') renew.add(incidentOf(event.data));
    };
    follow(onEvent, renewAll, abort.signal);
    return () => {
      abort.abort();
      renew.cancel();
    };
  }, [client]);
}

/**
 * Fetches again what events are about, at most once a second. A list of many pages takes longer than
 * that: begun again for each event it would never be there, so it ends first, and is then repeated.
 */
export function renewal(client: QueryClient): ReturnType<typeof coalesce<string>> {
  const renew = coalesce<string>(soon, gap, (ids) => {
    client.invalidateQueries({ queryKey: incidentKeys.counts });
    for (const id of ids) client.invalidateQueries({ queryKey: incidentKeys.one(id) });
    for (const queryKey of longLists) {
      if (client.isFetching({ queryKey }) > 0) renew.add('');
      else client.invalidateQueries({ queryKey });
    }
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
