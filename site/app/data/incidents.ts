import type {
  AlertJson,
  CountIncidentsResponseJson,
  GetIncidentAlertResponseJson,
  GetIncidentMetricsResponseJson,
  GetIncidentResponseJson,
  IncidentJson,
  ListIncidentAlertsResponseJson,
  ListIncidentsResponseJson,
  ListNotificationsResponseJson,
  ListTimelineResponseJson,
  NotificationJson,
  TimelineEntryJson,
} from '@nightbell/proto';
import { type InfiniteData, infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { call } from '~/lib/api';
import { callPages, withCursor } from '~/lib/pages';
import { freshFor } from '~/lib/query-client';
import { incidentKeys } from './keys';

/** How many incidents a page of the list has. */
export const atOnce = 1000;
const often = 30_000;
const addressOf = (id: string) => `/v1/incidents/${encodeURIComponent(id)}`;

/** Which incidents a list is of. */
export interface Wanted {
  status?: 'open' | 'triggered' | 'acknowledged' | 'resolved';
  /** Any of these. */
  severity?: readonly string[];
  serviceId?: string;
  /** Part of a title, a description or the name of a service. */
  text?: string;
  /** How many a page has; a thousand unless said. */
  limit?: number;
}

/** Incidents, the newest first, a thousand at once, fresh for a minute. Those of every status without a wish. */
export function incidentList({ status, severity = [], serviceId, text, limit = atOnce }: Wanted = {}) {
  const asked = new URLSearchParams({ limit: String(limit), offset: '0' });
  if (status) asked.set('status', status);
  for (const one of severity) asked.append('severity', one);
  if (serviceId) asked.set('service_id', serviceId);
  if (text) asked.set('text', text);
  return infiniteQueryOptions({
    queryKey: [...incidentKeys.list, asked.toString()],
    staleTime: freshFor.list,
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      call<ListIncidentsResponseJson>({
        method: 'GET',
        path: withCursor(`/v1/incidents?${asked}`, pageParam),
        action: 'fetch incidents',
        signal,
      }),
    getNextPageParam: (page) => page.next_cursor,
  });
}

/** How many incidents are in each status, counted by the server over all of them. */
export const incidentCounts = queryOptions({
  queryKey: incidentKeys.counts,
  staleTime: freshFor.list,
  queryFn: ({ signal }) =>
    call<CountIncidentsResponseJson>({
      method: 'GET',
      path: '/v1/incidents/counts',
      action: 'count incidents',
      signal,
    }),
  select: toCounts,
});

/** How soon incidents of the last week were acknowledged and resolved, beside the week before. A week moves on by itself. */
export const incidentMetrics = queryOptions({
  queryKey: incidentKeys.metrics,
  staleTime: freshFor.list,
  refetchInterval: 60_000,
  queryFn: ({ signal }) =>
    call<GetIncidentMetricsResponseJson>({
      method: 'GET',
      path: '/v1/incidents/metrics',
      action: 'fetch metrics',
      signal,
    }),
});

/** How many incidents are in each status. */
export interface Counts {
  triggered: number;
  acknowledged: number;
  resolved: number;
}

function toCounts(answer: CountIncidentsResponseJson): Counts {
  return {
    triggered: answer.triggered_count ?? 0,
    acknowledged: answer.acknowledged_count ?? 0,
    resolved: answer.resolved_count ?? 0,
  };
}

/** One incident, fresh for five minutes. Fails with 'Incident not found' when there is none. */
export function incidentDetail(id: string) {
  return queryOptions({
    queryKey: incidentKeys.one(id),
    staleTime: freshFor.detail,
    queryFn: async ({ signal }): Promise<IncidentJson> => {
      const answer = await call<GetIncidentResponseJson>({
        method: 'GET',
        path: addressOf(id),
        action: 'fetch incident',
        messages: { 400: 'Incident not found', 404: 'Incident not found' },
        signal,
      });
      return answer.incident ?? {};
    },
  });
}

/** The incident's history, oldest first. */
export function incidentTimeline(id: string) {
  return queryOptions({
    queryKey: incidentKeys.timeline(id),
    staleTime: freshFor.detail,
    queryFn: async ({ signal }): Promise<TimelineEntryJson[]> => {
      const pages = await callPages<ListTimelineResponseJson>({
        method: 'GET',
        path: `${addressOf(id)}/timeline`,
        action: 'fetch timeline',
        signal,
      });
      return pages.flatMap((page) => page.entries ?? []);
    },
  });
}

/** Who was paged, how, when and with what result. */
export function incidentNotifications(id: string) {
  return queryOptions({
    queryKey: incidentKeys.notifications(id),
    staleTime: freshFor.detail,
    queryFn: async ({ signal }): Promise<NotificationJson[]> => {
      const pages = await callPages<ListNotificationsResponseJson>({
        method: 'GET',
        path: `${addressOf(id)}/notifications`,
        action: 'fetch notifications',
        signal,
      });
      return pages.flatMap((page) => page.notifications ?? []);
    },
  });
}

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
        path: withCursor(`${addressOf(id)}/alerts?limit=200`, pageParam),
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

/** An alert with what a program reported about it. While the incident is open it goes on occurring, and no event of the feed says so. */
export function alertReport(id: string, alertId: string, open: boolean) {
  return queryOptions({
    queryKey: incidentKeys.report(id, alertId),
    staleTime: freshFor.detail,
    refetchInterval: open && often,
    enabled: alertId !== '',
    queryFn: ({ signal }) =>
      call<GetIncidentAlertResponseJson>({
        method: 'GET',
        path: `${addressOf(id)}/alerts/${encodeURIComponent(alertId)}`,
        action: 'fetch the error',
        signal,
      }),
  });
}
