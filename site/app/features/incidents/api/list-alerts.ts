import type { AlertJson, ListIncidentAlertsResponseJson } from '@nightbell/proto';
import { queryOptions } from '@tanstack/react-query';
import { call } from '~/lib/api';
import { freshFor } from '~/lib/query-client';
import { incidentKeys } from './keys';

/** The alerts that belong to an incident, and how many there are in all. */
export interface LinkedAlerts {
  alerts: readonly AlertJson[];
  firing: number;
  total: number;
}

/** The alerts of an incident, firing ones first. */
export function incidentAlerts(id: string) {
  return queryOptions({
    queryKey: incidentKeys.alerts(id),
    staleTime: freshFor.detail,
    queryFn: async ({ signal }): Promise<LinkedAlerts> => {
      const path = `/v1/incidents/${encodeURIComponent(id)}/alerts`;
      const answer = await call<ListIncidentAlertsResponseJson>({
        method: 'GET',
        path,
        action: 'fetch alerts',
        signal,
      });
      const alerts = answer.alerts ?? [];
      return { alerts, firing: answer.firing_count ?? 0, total: answer.total_count ?? alerts.length };
    },
  });
}
