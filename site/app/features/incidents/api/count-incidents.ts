import type { CountIncidentsResponseJson } from '@nightbell/proto';
import { queryOptions } from '@tanstack/react-query';
import { call } from '~/lib/api';
import { freshFor } from '~/lib/query-client';
import type { Counts } from '../model/counts';
import { incidentKeys } from './keys';

/** How many incidents are in each status, counted by the server over all of them. */
export const incidentCounts = queryOptions({
  queryKey: incidentKeys.counts,
  staleTime: freshFor.list,
  queryFn: async ({ signal }): Promise<Counts> => {
    const answer = await call<CountIncidentsResponseJson>({
      method: 'GET',
      path: '/v1/incidents/counts',
      action: 'count incidents',
      signal,
    });
    return {
      triggered: answer.triggered_count ?? 0,
      acknowledged: answer.acknowledged_count ?? 0,
      resolved: answer.resolved_count ?? 0,
    };
  },
});
