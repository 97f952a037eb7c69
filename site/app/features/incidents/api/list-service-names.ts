import type { ListServicesResponseJson } from '@nightbell/proto';
import { queryOptions } from '@tanstack/react-query';
import { call } from '~/lib/api';
import { freshFor } from '~/lib/query-client';

/** The services an incident can be declared on. */
export const serviceNames = queryOptions({
  queryKey: ['services', 'names'],
  staleTime: freshFor.detail,
  queryFn: async ({ signal }): Promise<{ id: string; name: string }[]> => {
    const answer = await call<ListServicesResponseJson>({ method: 'GET', path: '/v1/services', action: 'fetch services', signal });
    return (answer.services ?? []).map((service) => ({ id: service.id ?? '', name: service.name ?? '' }));
  },
});
