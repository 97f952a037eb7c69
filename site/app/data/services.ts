import type {
  CreateServiceResponseJson,
  GetServiceResponseJson,
  GetServiceSamplesResponseJson,
  ListServiceActivityResponseJson,
  ListServicesResponseJson,
  ServiceActivityJson,
  ServiceJson,
} from '@nightbell/proto';
import {
  type InfiniteData,
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { call } from '~/lib/api';
import { callPages, withCursor } from '~/lib/pages';
import { freshFor } from '~/lib/query-client';
import { serverNow } from '~/lib/time/clock';
import { later, toIso } from '~/lib/time/instant';
import { serviceKeys } from './keys';
import { renew } from './renewal';

// Samples come by the minute.
const minute = 60_000;

/** Every service of the organization. */
export const serviceList = queryOptions({
  queryKey: serviceKeys.list,
  staleTime: freshFor.list,
  queryFn: async ({ signal }): Promise<ServiceJson[]> => {
    const pages = await callPages<ListServicesResponseJson>({
      method: 'GET',
      path: '/v1/services',
      action: 'fetch services',
      signal,
    });
    return pages.flatMap((page) => page.services ?? []);
  },
});

/** One service. */
export function serviceDetail(id: string) {
  return queryOptions({
    queryKey: serviceKeys.one(id),
    staleTime: freshFor.list,
    queryFn: async ({ signal }): Promise<ServiceJson> => {
      const answer = await call<GetServiceResponseJson>({
        method: 'GET',
        path: `/v1/services/${encodeURIComponent(id)}`,
        action: 'fetch service',
        messages: { 400: 'Service not found', 404: 'Service not found' },
        signal,
      });
      return answer.service ?? {};
    },
  });
}

/** What was measured about a service in the last hours. */
export function serviceSamples(id: string, hours: number) {
  return queryOptions({
    queryKey: serviceKeys.samples(id, hours),
    staleTime: minute,
    refetchInterval: minute,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => {
      const since = toIso(later(serverNow(), -hours * 60 * minute));
      return call<GetServiceSamplesResponseJson>({
        method: 'GET',
        path: `/v1/services/${encodeURIComponent(id)}/samples?since=${since}`,
        action: 'fetch readings',
        signal,
      });
    },
  });
}

/** What happened about a service, the newest first: what was changed and what broke. */
export function serviceActivity(id: string) {
  return infiniteQueryOptions({
    queryKey: serviceKeys.activity(id),
    staleTime: minute,
    refetchInterval: minute,
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      call<ListServiceActivityResponseJson>({
        method: 'GET',
        path: withCursor(`/v1/services/${encodeURIComponent(id)}/activity?limit=20`, pageParam),
        action: 'fetch activity',
        signal,
      }),
    getNextPageParam: (page) => page.next_cursor,
    select: ({ pages }: InfiniteData<ListServiceActivityResponseJson>): readonly ServiceActivityJson[] =>
      pages.flatMap((page) => page.activity ?? []),
  });
}

/** The mutation behind Add Service. A name is enough. */
export function useCreateService() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (name: string): Promise<ServiceJson> => {
      const answer = await call<CreateServiceResponseJson>({
        method: 'POST',
        path: '/v1/services',
        body: { name },
        action: 'create service',
      });
      return answer.service ?? {};
    },
    onSuccess: () => void renew(client, 'service'),
  });
}
