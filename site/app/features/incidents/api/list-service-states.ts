import type { ListServicesResponseJson } from '@nightbell/proto';
import { queryOptions } from '@tanstack/react-query';
import { callPages } from '~/lib/pages';
import { freshFor } from '~/lib/query-client';

/** What an incident page needs to know of a service. */
export interface ServiceState {
  id: string;
  name: string;
  health: string;
  tier: number;
}

/** The services an incident can be declared on, and how they are. */
export const serviceStates = queryOptions({
  queryKey: ['services', 'states'],
  staleTime: freshFor.detail,
  queryFn: async ({ signal }): Promise<ServiceState[]> => {
    const pages = await callPages<ListServicesResponseJson>({
      method: 'GET',
      path: '/v1/services',
      action: 'fetch services',
      signal,
    });
    return pages
      .flatMap((page) => page.services ?? [])
      .map((service) => ({
        id: service.id ?? '',
        name: service.name ?? '',
        health: service.health ?? 'healthy',
        tier: service.tier ?? 0,
      }));
  },
});
