import type {
  ApiKeyJson,
  CreateApiKeyRequestJson,
  CreateApiKeyResponseJson,
  ListApiKeysResponseJson,
} from '@nightbell/proto';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '~/lib/api';
import { callPages } from '~/lib/pages';
import { freshFor } from '~/lib/query-client';
import { apiKeyKeys } from './keys';
import { askAgain } from './renewal';

/** The organization's keys, the newest first, revoked ones too. Only admins may read them. */
export const apiKeyList = queryOptions({
  queryKey: apiKeyKeys.all,
  staleTime: freshFor.list,
  queryFn: async ({ signal }): Promise<ApiKeyJson[]> => {
    const pages = await callPages<ListApiKeysResponseJson>({
      method: 'GET',
      path: '/v1/api-keys',
      action: 'fetch API keys',
      signal,
    });
    return pages.flatMap((page) => page.api_keys ?? []);
  },
});

/** Makes a key; the answer holds it, this once. */
export function useCreateApiKey() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: CreateApiKeyRequestJson) =>
      call<CreateApiKeyResponseJson>({
        method: 'POST',
        path: '/v1/api-keys',
        body,
        action: 'create the key',
        keepSession: true,
      }),
    onSuccess: () => askAgain(client, [apiKeyKeys.all]),
  });
}

/** Ends a key. */
export function useRevokeApiKey() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      call<object>({
        method: 'DELETE',
        path: `/v1/api-keys/${encodeURIComponent(id)}`,
        action: 'revoke the key',
        keepSession: true,
      }),
    onSettled: () => askAgain(client, [apiKeyKeys.all]),
  });
}
