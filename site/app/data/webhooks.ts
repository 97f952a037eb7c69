import type {
  CreateWebhookSubscriptionRequestJson,
  CreateWebhookSubscriptionResponseJson,
  GetWebhookSubscriptionKeyResponseJson,
  GetWebhookSubscriptionResponseJson,
  ListWebhookDeliveriesResponseJson,
  ListWebhookSubscriptionsResponseJson,
  RotateWebhookSecretResponseJson,
  WebhookDeliveryJson,
  WebhookSubscriptionJson,
} from '@nightbell/proto';
import {
  type InfiniteData,
  infiniteQueryOptions,
  type QueryClient,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { call } from '~/lib/api';
import { ifMatch, type Version } from '~/lib/edits';
import { callPages, withCursor } from '~/lib/pages';
import { freshFor } from '~/lib/query-client';
import { webhookKeys } from './keys';
import { askAgain } from './renewal';

const all = '/v1/webhook-subscriptions';
const addressOf = (id: string) => `${all}/${encodeURIComponent(id)}`;
const renewed = (client: QueryClient) => askAgain(client, [webhookKeys.all]);

// A delivery that is being tried ends within seconds, one that waits within minutes.
const soon = 2000;
const often = 15_000;

/** Every webhook subscription, the newest first. Only admins may read them. */
export const webhookList = queryOptions({
  queryKey: webhookKeys.list,
  staleTime: freshFor.list,
  queryFn: async ({ signal }): Promise<WebhookSubscriptionJson[]> => {
    const pages = await callPages<ListWebhookSubscriptionsResponseJson>({
      method: 'GET',
      path: all,
      action: 'fetch webhooks',
      signal,
    });
    return pages.flatMap((page) => page.webhook_subscriptions ?? []);
  },
});

/** One webhook subscription. */
export function webhookById(id: string) {
  return queryOptions({
    queryKey: webhookKeys.one(id),
    staleTime: freshFor.list,
    refetchInterval: often,
    queryFn: async ({ signal }): Promise<WebhookSubscriptionJson> => {
      const answer = await call<GetWebhookSubscriptionResponseJson>({
        method: 'GET',
        path: addressOf(id),
        action: 'fetch webhook',
        messages: { 400: 'Webhook not found', 404: 'Webhook not found' },
        signal,
      });
      return answer.webhook_subscription ?? {};
    },
  });
}

/** What was delivered, or is being tried, the newest first; of one status only with a wish. Asked for again sooner while something was not tried yet. */
export function deliveryList(id: string, status = '') {
  const query = new URLSearchParams({ limit: '20', ...(status ? { status } : {}) });
  return infiniteQueryOptions({
    queryKey: [...webhookKeys.deliveries(id), status],
    staleTime: 0,
    refetchInterval: ({ state }) => {
      const newest = state.data?.pages[0]?.webhook_deliveries ?? [];
      return newest.some((one) => one.status === 'pending' && !one.attempt_count) ? soon : often;
    },
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      call<ListWebhookDeliveriesResponseJson>({
        method: 'GET',
        path: withCursor(`${addressOf(id)}/deliveries?${query}`, pageParam),
        action: 'fetch deliveries',
        signal,
      }),
    getNextPageParam: (page) => page.next_cursor,
    select: ({ pages }: InfiniteData<ListWebhookDeliveriesResponseJson>): readonly WebhookDeliveryJson[] =>
      pages.flatMap((page) => page.webhook_deliveries ?? []),
  });
}

/** Makes a subscription; the answer holds its secret, this once. */
export function useCreateWebhook() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: CreateWebhookSubscriptionRequestJson) =>
      call<CreateWebhookSubscriptionResponseJson>({
        method: 'POST',
        path: all,
        body,
        action: 'create the webhook',
        keepSession: true,
      }),
    onSuccess: () => renewed(client),
  });
}

/** What of a subscription can be changed. */
export interface WebhookChange {
  name?: string;
  url?: string;
  event_types?: readonly string[];
  filter?: {
    service_ids?: readonly string[];
    team_ids?: readonly string[];
    severities?: readonly string[];
  } | null;
  enabled?: boolean;
}

/** Changes a subscription as it was read. */
export function useChangeWebhook() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, etag, ...body }: Version & WebhookChange) =>
      call<object>({
        method: 'PATCH',
        path: addressOf(id),
        body,
        headers: ifMatch(etag),
        action: 'save the webhook',
        keepSession: true,
      }),
    onSettled: () => renewed(client),
  });
}

/** Ends a subscription, with what still waits. */
export function useDeleteWebhook(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () =>
      call<object>({
        method: 'DELETE',
        path: addressOf(id),
        action: 'delete the webhook',
        keepSession: true,
      }),
    onSuccess: () => askAgain(client, [webhookKeys.list]),
  });
}

/** The mutation that shows a subscription's whole address. Each time is in the audit log. */
export function useWebhookUrl(id: string) {
  return useMutation({
    mutationFn: async (): Promise<string> => {
      const answer = await call<GetWebhookSubscriptionKeyResponseJson>({
        method: 'GET',
        path: `${addressOf(id)}/key`,
        action: 'show the address',
        keepSession: true,
      });
      return answer.url ?? '';
    },
  });
}

/** Makes a new secret, and gives it, this once. */
export function useRotateSecret(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (): Promise<string> => {
      const answer = await call<RotateWebhookSecretResponseJson>({
        method: 'POST',
        path: `${addressOf(id)}/rotate-secret`,
        body: {},
        action: 'rotate the secret',
        keepSession: true,
      });
      return answer.secret ?? '';
    },
    onSuccess: () => renewed(client),
  });
}

/** Delivers an event of the type webhook.test. */
export function useTestWebhook(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () =>
      call<object>({
        method: 'POST',
        path: `${addressOf(id)}/test`,
        body: {},
        action: 'send a test event',
        keepSession: true,
      }),
    onSuccess: () => renewed(client),
  });
}

/** Sends the event of a delivery once more. */
export function useRedeliver(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (deliveryId: string) =>
      call<object>({
        method: 'POST',
        path: `${addressOf(id)}/deliveries/${encodeURIComponent(deliveryId)}/redeliver`,
        body: {},
        action: 'send it again',
        keepSession: true,
      }),
    onSuccess: () => renewed(client),
  });
}

/** Delivers again what happened since a time (RFC 3339) of the last 30 days. */
export function useReplay(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (since: string) =>
      call<object>({
        method: 'POST',
        path: `${addressOf(id)}/replay`,
        body: { since },
        action: 'replay events',
        keepSession: true,
      }),
    onSuccess: () => renewed(client),
  });
}
