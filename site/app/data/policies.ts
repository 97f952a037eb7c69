import type {
  CreateEscalationPolicyRequestJson,
  CreateEscalationPolicyResponseJson,
  EscalationPolicyJson,
  GetEscalationPolicyResponseJson,
  ListEscalationPoliciesResponseJson,
} from '@nightbell/proto';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '~/lib/api';
import { ifMatch, type Version } from '~/lib/edits';
import { callPages } from '~/lib/pages';
import { freshFor } from '~/lib/query-client';
import { policyKeys } from './keys';
import { renew } from './renewal';

const addressOf = (id: string) => `/v1/escalation-policies/${encodeURIComponent(id)}`;

/** Who is paged, in which order, by every policy of the organization. */
export const policyList = queryOptions({
  queryKey: policyKeys.list,
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

/** One policy. Fails with 'Escalation policy not found' when there is none. */
export function policyDetail(id: string) {
  return queryOptions({
    queryKey: policyKeys.one(id),
    staleTime: freshFor.list,
    queryFn: async ({ signal }): Promise<EscalationPolicyJson> => {
      const answer = await call<GetEscalationPolicyResponseJson>({
        method: 'GET',
        path: addressOf(id),
        action: 'fetch escalation policy',
        messages: { 400: 'Escalation policy not found', 404: 'Escalation policy not found' },
        signal,
      });
      return answer.escalation_policy ?? {};
    },
  });
}

/** Stores a policy, a new one when its id is empty, and returns it as the server keeps it. Fails with ApiError. */
export function useSavePolicy() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({
      id,
      etag,
      ...body
    }: Version & CreateEscalationPolicyRequestJson): Promise<EscalationPolicyJson> => {
      const answer = await call<CreateEscalationPolicyResponseJson>({
        method: id ? 'PATCH' : 'POST',
        path: id ? addressOf(id) : '/v1/escalation-policies',
        body,
        headers: ifMatch(etag),
        action: 'save escalation policy',
        keepSession: true,
      });
      return answer.escalation_policy ?? {};
    },
    onSuccess: (policy) => {
      client.setQueryData(policyDetail(policy.id ?? '').queryKey, policy);
      void renew(client, 'policy');
    },
  });
}

/** Deletes a policy as it was read. The server refuses while something uses it; its sentence says what. */
export function useDeletePolicy() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, etag }: Version) =>
      call<object>({
        method: 'DELETE',
        path: addressOf(id),
        headers: ifMatch(etag),
        action: 'delete escalation policy',
        keepSession: true,
      }),
    onSuccess: () => void renew(client, 'policy', 'none'),
  });
}

/** Makes a policy the one of services that name none. Fails with ApiError. */
export function useMakeDefaultPolicy() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      call<object>({
        method: 'POST',
        path: `${addressOf(id)}/make-default`,
        body: {},
        action: 'make the policy the default',
        keepSession: true,
      }),
    onSuccess: () => void renew(client, 'policy'),
  });
}
