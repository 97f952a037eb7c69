import type {
  GetServiceSamplesResponseJson,
  ListServiceActivityResponseJson,
  ServiceActivityJson,
} from '@nightbell/proto';
import {
  type InfiniteData,
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
} from '@tanstack/react-query';
import { call } from '~/lib/api';
import { serverNow } from '~/lib/clock';
import { withCursor } from '~/lib/pages';
import { type Reading, readingsOf } from '../model/readings';

// Samples come by the minute.
const minute = 60_000;

/** What was measured about a service in the last hours, a reading for each name. */
export function serviceReadings(id: string, hours: number) {
  return queryOptions({
    queryKey: ['services', 'one', id, 'samples', hours],
    staleTime: minute,
    refetchInterval: minute,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }): Promise<readonly Reading[]> => {
      const since = new Date(serverNow().getTime() - hours * 60 * minute).toISOString();
      const answer = await call<GetServiceSamplesResponseJson>({
        method: 'GET',
        path: `/v1/services/${encodeURIComponent(id)}/samples?since=${since}`,
        action: 'fetch readings',
        signal,
      });
      return readingsOf(answer);
    },
  });
}

/** What happened about a service, the newest first: what was changed and what broke. */
export function serviceActivity(id: string) {
  return infiniteQueryOptions({
    queryKey: ['services', 'one', id, 'activity'],
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
