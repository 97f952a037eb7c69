import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './api';

const minute = 60_000;

/** How long each kind of answer counts as fresh. The live feed renews it earlier. */
export const freshFor = { list: minute, detail: 5 * minute } as const;

/** The cache of one signed-in visit. Refusals are final; a broken network is tried twice more. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        refetchOnWindowFocus: false,
        retry: (failures, error) => failures < 2 && worthRepeating(error),
      },
    },
  });
}

function worthRepeating(error: Error): boolean {
  return !(error instanceof ApiError) || error.status === 0 || error.status >= 500;
}
