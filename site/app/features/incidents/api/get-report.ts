import type { GetIncidentAlertResponseJson } from '@nightbell/proto';
import { queryOptions } from '@tanstack/react-query';
import { call } from '~/lib/api';
import { freshFor } from '~/lib/query-client';
import { incidentKeys } from './keys';

const often = 30_000;

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
        path: `/v1/incidents/${encodeURIComponent(id)}/alerts/${encodeURIComponent(alertId)}`,
        action: 'fetch the error',
        signal,
      }),
  });
}
