import type { RotateServiceKeyResponseJson, ServiceJson, UpdateServiceResponseJson } from '@nightbell/proto';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiError, call } from '~/lib/api';
import { ifMatch, type Version } from '~/lib/edits';
import { renew } from './renewal';
import { useServiceKey } from './service-key';

/** What of a service people set; empty clears. */
export interface ServiceFields {
  name: string;
  description: string;
  team_id: string;
  owner_id: string;
  escalation_policy_id: string;
  repo_url: string;
  runbook_url: string;
  depends_on_ids: readonly string[];
  tier: number;
  grouping: string;
}

/** Stores a service as it was read and changed. Fails with ApiError, which the dialog shows. */
export function useSaveService() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, etag, ...fields }: Version & ServiceFields): Promise<ServiceJson> =>
      call<UpdateServiceResponseJson>({
        method: 'PATCH',
        path: `/v1/services/${encodeURIComponent(id)}`,
        body: Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value || null])),
        headers: ifMatch(etag),
        action: 'save service',
        keepSession: true,
      }).then(({ service = {} }) => service),
    onSuccess: () => void renew(client, 'service'),
  });
}

/** Deletes a service as it was read: its key is refused from then on, its incidents stay. */
export function useDeleteService() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, etag }: Version) =>
      call<object>({
        method: 'DELETE',
        path: `/v1/services/${encodeURIComponent(id)}`,
        headers: ifMatch(etag),
        action: 'delete service',
        keepSession: true,
      }),
    onSuccess: () => void renew(client, 'service', 'none'),
  });
}

/** Makes a new key; the old one works for one more hour. */
export function useRotateKey(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () =>
      call<RotateServiceKeyResponseJson>({
        method: 'POST',
        path: `/v1/services/${encodeURIComponent(id)}/rotate-key`,
        body: {},
        action: 'make a new key',
        keepSession: true,
      }),
    onSuccess: () => void renew(client, 'service'),
  });
}

const failed = 'Failed to send test alert';

/**
 * Sends one firing alert to a service's webhook address, as Alertmanager does; the texts are those of
 * section 7 and 8 of the spec. Whoever is on call is paged.
 */
export function useSendTestAlert(id: string) {
  const address = useServiceKey(id);
  return useMutation({
    mutationFn: async ({ body }: { body: object }) => {
      const url = new URL((await address.mutateAsync()).url);
      // The site's own server, by the address that the browser knows it by.
      const answer = await fetch(url.pathname, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(10_000),
      });
      if (!answer.ok) throw new ApiError(`${failed}: ${answer.statusText || answer.status}`, answer.status);
    },
  });
}
