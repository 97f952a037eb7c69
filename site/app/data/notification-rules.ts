import type {
  CreateNotificationRuleRequestJson,
  ListNotificationRulesResponseJson,
  NotificationRuleJson,
} from '@nightbell/proto';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '~/lib/api';
import { ifMatch, type Version } from '~/lib/edits';
import { callPages } from '~/lib/pages';
import { freshFor } from '~/lib/query-client';
import { explainKeys, ruleKeys } from './keys';
import { askAgain } from './renewal';

/** By what, and how long after a page begins, the signed-in person is told. */
export const notificationRules = queryOptions({
  queryKey: ruleKeys.all,
  staleTime: freshFor.list,
  queryFn: async ({ signal }): Promise<NotificationRuleJson[]> => {
    const pages = await callPages<ListNotificationRulesResponseJson>({
      method: 'GET',
      path: '/v1/notification-rules',
      action: 'fetch notification rules',
      signal,
    });
    return pages.flatMap((page) => page.notification_rules ?? []);
  },
});

/** Adds a rule for a contact method of the reader. */
export function useAddRule() {
  const renew = useRenewRules();
  return useMutation({
    mutationFn: (body: CreateNotificationRuleRequestJson) =>
      call<object>({
        method: 'POST',
        path: '/v1/notification-rules',
        body,
        action: 'add the rule',
        keepSession: true,
      }),
    onSuccess: renew,
  });
}

/** Deletes a rule. The contact method stays. */
export function useDeleteRule() {
  const renew = useRenewRules();
  return useMutation({
    mutationFn: ({ id, etag }: Version) =>
      call<object>({
        method: 'DELETE',
        path: `/v1/notification-rules/${encodeURIComponent(id)}`,
        headers: ifMatch(etag),
        action: 'delete the rule',
        keepSession: true,
      }),
    onSettled: renew,
  });
}

function useRenewRules() {
  const client = useQueryClient();
  return () => askAgain(client, [ruleKeys.all, explainKeys.all]);
}
