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

/** The alerts of an incident, firing ones first, 200 at once. */
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

// An alert that ends while pages are read stands on two of them; the later one is right.
function linked({ pages }: InfiniteData<ListIncidentAlertsResponseJson>): LinkedAlerts {
  const alerts = new Map<string, AlertJson>();
  for (const alert of pages.flatMap((page) => page.alerts ?? [])) alerts.set(alert.id ?? '', alert);
  return { alerts: [...alerts.values()], total: pages.at(-1)?.total_count ?? alerts.size };
}
