import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './api';

const minute = 60_000;

/** How long each kind of answer counts as fresh. The live feed renews it earlier. */
export const freshFor = { list: minute, detail: 5 * minute } as const;

/**
 * The cache of one signed-in visit. Refusals are final; a broken network is tried twice more. What a
 * browser believes about its network is no reason to wait: a call fails at once and is seen to fail,
 * and an Acknowledge is never kept back to be sent when nobody thinks of it any more.
 */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        networkMode: 'always',
        refetchOnReconnect: true,
        refetchOnWindowFocus: false,
        retry: (failures, error) => failures < 2 && worthRepeating(error),
      },
      mutations: { networkMode: 'always' },
    },
  });
}

/** Whether a call failed because nothing answered that could. */
export function worthRepeating(error: Error): boolean {
  return !(error instanceof ApiError) || error.status === 0 || error.status >= 500;
}
