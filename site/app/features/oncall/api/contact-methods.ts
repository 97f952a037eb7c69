import type { ContactMethodJson, ListContactMethodsResponseJson } from '@nightbell/proto';
import { queryOptions } from '@tanstack/react-query';
import { call } from '~/lib/api';
import { freshFor } from '~/lib/query-client';

/** How the signed-in person is reached, and the channels everybody shares. */
export const contactMethods = queryOptions({
  queryKey: ['contact-methods'],
  staleTime: freshFor.list,
  queryFn: async ({ signal }): Promise<ContactMethodJson[]> => {
    const answer = await call<ListContactMethodsResponseJson>({
      method: 'GET',
      path: '/v1/contact-methods',
      action: 'fetch contact methods',
      signal,
    });
    return answer.contact_methods ?? [];
  },
});
