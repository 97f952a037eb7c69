import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { coalesce } from '~/lib/coalesce';
import type { StreamEvent } from '~/lib/event-stream';
import { follow } from '~/lib/live';
import { incidentKeys } from './keys';

const soon = 50;
const gap = 1000;

/** Keeps every incident on screen current: what the live feed names is fetched again, everything after a break. */
export function useFollowIncidents(): void {
  const client = useQueryClient();
  useEffect(() => {
    const abort = new AbortController();
    const renew = coalesce<string>(soon, gap, (ids) => {
      client.invalidateQueries({ queryKey: incidentKeys.list });
      client.invalidateQueries({ queryKey: incidentKeys.counts });
      client.invalidateQueries({ queryKey: ['services'] });
      for (const id of ids) client.invalidateQueries({ queryKey: incidentKeys.one(id) });
    });
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
