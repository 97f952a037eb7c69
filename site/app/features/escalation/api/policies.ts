import type {
  CreateEscalationPolicyResponseJson,
  GetEscalationPolicyResponseJson,
  ListEscalationPoliciesResponseJson,
} from '@nightbell/proto';
import { type QueryClient, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '~/lib/api';
import { ifMatch } from '~/lib/edits';
import { callPages } from '~/lib/pages';
import { freshFor } from '~/lib/query-client';
import { type Policy, toPolicy, toRequest } from '../model/policy';

const address = (id: string) => `/v1/escalation-policies/${encodeURIComponent(id)}`;
const all = ['policies'] as const;

/** Every escalation policy of the organization, by name. */
export const policyList = queryOptions({
  queryKey: [...all, 'list'],
  staleTime: freshFor.list,
  queryFn: async ({ signal }): Promise<Policy[]> => {
    const pages = await callPages<ListEscalationPoliciesResponseJson>({
      method: 'GET',
      path: '/v1/escalation-policies',
      action: 'fetch escalation policies',
      signal,
    });
    return pages
      .flatMap((page) => page.escalation_policies ?? [])
      .map(toPolicy)
      .toSorted((a, b) => a.name.localeCompare(b.name));
  },
});

/** One policy. Fails with 'Escalation policy not found' when there is none. */
export function policyDetail(id: string) {
  return queryOptions({
    queryKey: [...all, 'one', id],
    staleTime: freshFor.list,
    queryFn: async ({ signal }): Promise<Policy> => {
      const answer = await call<GetEscalationPolicyResponseJson>({
        method: 'GET',
        path: address(id),
        action: 'fetch escalation policy',
        messages: { 400: 'Escalation policy not found', 404: 'Escalation policy not found' },
        signal,
      });
      return toPolicy(answer.escalation_policy ?? {});
    },
  });
}

/** Stores a policy, a new one when its id is empty, and returns it as the server keeps it. Fails with ApiError. */
export function useSavePolicy() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (policy: Policy): Promise<Policy> => {
      const answer = await call<CreateEscalationPolicyResponseJson>({
        method: policy.id ? 'PATCH' : 'POST',
        path: policy.id ? address(policy.id) : '/v1/escalation-policies',
        body: toRequest(policy),
        headers: ifMatch(policy.etag),
        action: 'save escalation policy',
        keepSession: true,
      });
      return toPolicy(answer.escalation_policy ?? {});
    },
    onSuccess: (policy) => {
      client.setQueryData(policyDetail(policy.id).queryKey, policy);
      renew(client, all);
    },
  });
}

/** Deletes a policy as it was read. The server refuses while something uses it; its sentence says what. */
export function useDeletePolicy() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, etag }: Policy) =>
      call<object>({
        method: 'DELETE',
        path: address(id),
        headers: ifMatch(etag),
        action: 'delete escalation policy',
        keepSession: true,
      }),
    // Not the policy itself: its page is still open, and would find nothing.
    onSuccess: () => renew(client, policyList.queryKey),
  });
}

/** Makes a policy the one of services that name none. Fails with ApiError. */
export function useMakeDefaultPolicy() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      call<object>({
        method: 'POST',
        path: `${address(id)}/make-default`,
        body: {},
        action: 'make the policy the default',
        keepSession: true,
      }),
    onSuccess: () => renew(client, all),
  });
}

// The services, schedules and explanations show policies too, under keys of their own.
function renew(client: QueryClient, own: readonly string[]): void {
  for (const queryKey of [own, ['escalation-policies'], ['services'], ['oncall'], ['explain']])
    void client.invalidateQueries({ queryKey });
}
