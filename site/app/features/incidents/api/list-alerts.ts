import type { AlertJson, ListIncidentAlertsResponseJson } from '@nightbell/proto';
import { type InfiniteData, infiniteQueryOptions } from '@tanstack/react-query';
import { call } from '~/lib/api';
import { withCursor } from '~/lib/pages';
import { freshFor } from '~/lib/query-client';
import { incidentKeys } from './keys';

/** The alerts that belong to an incident, as far as they are loaded, and how many there are in all. */
export interface LinkedAlerts {
  alerts: readonly AlertJson[];
  total: number;
}

/** The alerts of an incident, 200 at once; of those loaded the firing ones first, then the newest. */
export function incidentAlerts(id: string) {
  return infiniteQueryOptions({
    queryKey: incidentKeys.alerts(id),
    staleTime: freshFor.detail,
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      call<ListIncidentAlertsResponseJson>({
        method: 'GET',
        path: withCursor(`/v1/incidents/${encodeURIComponent(id)}/alerts?limit=200`, pageParam),
        action: 'fetch alerts',
        signal,
      }),
    getNextPageParam: (page) => page.next_cursor,
    select: linked,
  });
}

// The server's order never changes, so that pages neither skip nor repeat an alert.
function linked({ pages }: InfiniteData<ListIncidentAlertsResponseJson>): LinkedAlerts {
  const alerts = pages.flatMap((page) => page.alerts ?? []);
  const fires = ({ status }: AlertJson) => (status === 'firing' ? 0 : 1);
  return {
    alerts: alerts.toSorted((a, b) => fires(a) - fires(b)),
    total: pages.at(-1)?.total_count ?? alerts.length,
  };
}
