import type { EscalationPolicyJson, ListEscalationPoliciesResponseJson } from '@nightbell/proto';
import { queryOptions } from '@tanstack/react-query';
import { callPages } from '~/lib/pages';
import { freshFor } from '~/lib/query-client';

/** Who is paged, in which order, by every policy of the organization. */
export const escalationPolicies = queryOptions({
  queryKey: ['escalation-policies'],
  staleTime: freshFor.list,
  queryFn: async ({ signal }): Promise<EscalationPolicyJson[]> => {
    const pages = await callPages<ListEscalationPoliciesResponseJson>({
      method: 'GET',
      path: '/v1/escalation-policies',
      action: 'fetch escalation policies',
      signal,
    });
    return pages.flatMap((page) => page.escalation_policies ?? []);
  },
});
