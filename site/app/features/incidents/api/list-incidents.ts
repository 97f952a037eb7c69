import type { ListIncidentsResponseJson } from '@nightbell/proto';
import { queryOptions } from '@tanstack/react-query';
import { call } from '~/lib/api';
import { freshFor } from '~/lib/query-client';
import { type Incident, toIncident } from '../model/incident';
import { incidentKeys } from './keys';

const limit = 1000;

/** The newest incidents, up to 1,000, fresh for a minute. */
export const incidentList = queryOptions({
  queryKey: incidentKeys.list,
  staleTime: freshFor.list,
  queryFn: async ({ signal }): Promise<Incident[]> => {
    const answer = await call<ListIncidentsResponseJson>({
      method: 'GET',
      path: `/v1/incidents?limit=${limit}&offset=0`,
      action: 'fetch incidents',
      signal,
    });
    return (answer.incidents ?? []).map(toIncident);
  },
});
