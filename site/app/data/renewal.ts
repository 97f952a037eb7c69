import { type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { coalesce } from '~/lib/coalesce';
import type { StreamEvent } from '~/lib/event-stream';
import { refetchFailed } from '~/lib/freshness';
import { currentIdentity } from '~/lib/identity';
import { follow } from '~/lib/live';
import { pause } from '~/lib/pause';
import { subscribeSession } from '~/lib/session';
import {
  explainKeys,
  incidentKeys,
  maintenanceKeys,
  policyKeys,
  scheduleKeys,
  serviceKeys,
  teamKeys,
} from './keys';

const summaries: readonly QueryKey[] = [
  incidentKeys.counts,
  incidentKeys.metrics,
  incidentKeys.list,
  serviceKeys.all,
];
const ofIncident = (id: string) => (id === '' ? summaries : [...summaries, incidentKeys.one(id)]);

/** What is asked again after an event of the live feed, by the first word of its name. */
const afterEvent: Readonly<Record<string, (incidentId: string) => readonly QueryKey[]>> = {
  incident: ofIncident,
  page: ofIncident,
  heartbeat: ofIncident,
  service: () => [serviceKeys.all, incidentKeys.list],
};

/** What is asked again after something was changed here: the thing, and whatever shows its name. */
const afterChange = {
  incident: [incidentKeys.all],
  maintenance: [maintenanceKeys.all, incidentKeys.all, explainKeys.all],
  policy: [policyKeys.all, serviceKeys.all, scheduleKeys.all, explainKeys.all],
  schedule: [scheduleKeys.all, explainKeys.all],
  service: [serviceKeys.all],
  team: [teamKeys.all, policyKeys.all, scheduleKeys.all, serviceKeys.all],
} satisfies Record<string, readonly QueryKey[]>;

/**
 * Asks again for whatever shows a thing that was changed here; the promise ends as that of `askAgain`. After a deletion not at once: the page of the thing is still open, and would find nothing.
 */
export async function renew(
  client: QueryClient,
  changed: keyof typeof afterChange,
  refetchType: 'active' | 'none' = 'active',
): Promise<void> {
  await askAgain(client, afterChange[changed], refetchType);
}

const patience = 3000;

/**
 * Asks again for what has these keys. The promise ends when that is there, or soon: a list that hangs
 * must not hold the dialog of a save that is done.
 */
export async function askAgain(
  client: QueryClient,
  keys: readonly QueryKey[],
  refetchType: 'active' | 'none' = 'active',
): Promise<void> {
  const asked = keys.map((queryKey) => client.invalidateQueries({ queryKey, refetchType }));
  await Promise.race([Promise.all(asked), pause(patience)]);
}

/** Keeps everything on screen current: what the live feed names is fetched again, everything after a break. */
export function useLiveFeed(): void {
  const client = useQueryClient();
  const identity = useSyncExternalStore(subscribeSession, currentIdentity, () => null);
  useEffect(() => {
    if (identity === null) return;
    const abort = new AbortController();
    const gathered = renewal(client);
    const onForget = () => void client.invalidateQueries();
    const onRenew = () => {
      gathered.add([...summaries, incidentKeys.ones]);
      refetchFailed(client);
    };
    const onEvent = ({ name, data }: StreamEvent) => {
      // The server left events out and asks for everything to be loaded again.
      if (name === 'resync') return onForget();
      if (name !== 'hello') gathered.add(keysOf(name, data));
    };
    follow(identity, { onEvent, onRenew, onForget }, abort.signal);
    return () => {
      abort.abort();
      gathered.cancel();
    };
  }, [client, identity]);
}

/** What is asked again after an event. A newer server may name what is not known here; it may be about an incident. */
export function keysOf(name: string, data: string): readonly QueryKey[] {
  const keys = afterEvent[name.split('.')[0] ?? ''] ?? ofIncident;
  return keys(incidentOf(data));
}

const soon = 50;
const gap = 500;

/**
 * Fetches again what has these keys, at most twice a second. What is being fetched may have been read
 * before the event, and begun again for each event a list of many pages would never be there: it
 * ends first, and is then repeated.
 */
export function renewal(client: QueryClient): {
  add: (keys: readonly QueryKey[]) => void;
  cancel: () => void;
} {
  const { add, cancel } = coalesce<string>(soon, gap, (keys) => {
    // A tab that was hidden meanwhile fetches everything when it is seen again.
    if (document.visibilityState === 'hidden') return;
    const queries = [...keys].flatMap((key) =>
      client.getQueryCache().findAll({ queryKey: JSON.parse(key) as QueryKey }),
    );
    // Each by itself: a part that hangs must not keep the incident's status from being fetched.
    for (const query of new Set(queries)) {
      if (query.state.fetchStatus === 'fetching') add(JSON.stringify(query.queryKey));
      else client.invalidateQueries({ queryKey: query.queryKey, exact: true });
    }
  });
  return {
    add: (keys) => {
      for (const key of keys) add(JSON.stringify(key));
    },
    cancel,
  };
}

// The incident that an event is about; an empty string when it names none.
function incidentOf(data: string): string {
  try {
    const event: unknown = JSON.parse(data);
    if (typeof event !== 'object' || event === null || !('incident_id' in event)) return '';
    return String(event.incident_id);
  } catch {
    return '';
  }
}
