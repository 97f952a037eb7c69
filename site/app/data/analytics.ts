import type { GetAnalyticsResponseJson } from '@nightbell/proto';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from '~/lib/api';
import { freshFor } from '~/lib/query-client';
import { toIso } from '~/lib/time/instant';
import { readersZone } from '~/lib/time/zone';
import { analyticsKeys } from './keys';

/** Which figures are asked for: the last days, or those of a span of time. */
export interface Asked {
  days?: number;
  since?: Date;
  until?: Date;
  compare: boolean;
  serviceId: string;
  teamId: string;
}

/** All figures of a period, with days and hours of the reader's own time zone. Older ones stay until others come. */
export function analytics({ days, since, until, compare, serviceId, teamId }: Asked) {
  const query = new URLSearchParams({ timezone: readersZone() });
  if (days) query.set('days', String(days));
  if (since) query.set('since', toIso(since));
  if (until) query.set('until', toIso(until));
  if (compare) query.set('compare', 'true');
  if (serviceId) query.set('service_id', serviceId);
  if (teamId) query.set('team_id', teamId);
  return queryOptions({
    queryKey: analyticsKeys.of(query.toString()),
    staleTime: freshFor.detail,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      call<GetAnalyticsResponseJson>({
        method: 'GET',
        path: `/v1/analytics?${query}`,
        action: 'fetch analytics',
        signal,
      }),
  });
}
