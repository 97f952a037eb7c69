import type { GetIncidentResponseJson } from '@nightbell/proto';
import { queryOptions } from '@tanstack/react-query';
import { call } from '~/lib/api';
import { freshFor } from '~/lib/query-client';
import { type Incident, toIncident } from '../model/incident';
import { incidentKeys } from './keys';

/** One incident, fresh for five minutes. Fails with 'Incident not found' when there is none. */
export function incidentDetail(id: string) {
  return queryOptions({
    queryKey: incidentKeys.one(id),
    staleTime: freshFor.detail,
    queryFn: async ({ signal }): Promise<Incident> => {
      const answer = await call<GetIncidentResponseJson>({
        method: 'GET',
        path: `/v1/incidents/${encodeURIComponent(id)}`,
        action: 'fetch incident',
        messages: { 400: 'Incident not found', 404: 'Incident not found' },
        signal,
      });
      return toIncident(answer.incident ?? {});
    },
  });
}
