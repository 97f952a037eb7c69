import type {
  CreateServiceResponseJson,
  GetServiceKeyResponseJson,
  GetServiceResponseJson,
  ListServicesResponseJson,
  ServiceJson,
} from '@nightbell/proto';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '~/lib/api';
import { callPages } from '~/lib/pages';
import { freshFor } from '~/lib/query-client';

/** Every service of the organization. */
export const serviceList = queryOptions({
  queryKey: ['services', 'list'],
  staleTime: freshFor.list,
  queryFn: async ({ signal }): Promise<ServiceJson[]> => {
    const pages = await callPages<ListServicesResponseJson>({
      method: 'GET',
      path: '/v1/services',
      action: 'fetch services',
      signal,
    });
    return pages.flatMap((page) => page.services ?? []);
  },
});

/** One service. */
export function serviceDetail(id: string) {
  return queryOptions({
    queryKey: ['services', 'one', id],
    staleTime: freshFor.list,
    queryFn: async ({ signal }): Promise<ServiceJson> => {
      const answer = await call<GetServiceResponseJson>({
        method: 'GET',
        path: `/v1/services/${encodeURIComponent(id)}`,
        action: 'fetch service',
        messages: { 400: 'Service not found', 404: 'Service not found' },
        signal,
      });
      return answer.service ?? {};
    },
  });
}

/** The mutation that shows the webhook address of a service. Each time is in the audit log, so it is asked for on demand. */
export function useWebhookAddress(id: string) {
  return useMutation({
    mutationFn: async (): Promise<string> => {
      const answer = await call<GetServiceKeyResponseJson>({
        method: 'GET',
        path: `/v1/services/${encodeURIComponent(id)}/key`,
        action: 'show the webhook address',
        keepSession: true,
      });
      return answer.webhook_url ?? '';
    },
  });
}

/** The mutation behind Add Service. A name is enough. */
export function useCreateService() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (name: string): Promise<ServiceJson> => {
      const answer = await call<CreateServiceResponseJson>({
        method: 'POST',
        path: '/v1/services',
        body: { name },
        action: 'create service',
      });
      return answer.service ?? {};
    },
    onSuccess: () => void client.invalidateQueries({ queryKey: ['services'] }),
  });
}
