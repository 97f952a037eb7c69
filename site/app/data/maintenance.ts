import type {
  CreateMaintenanceWindowRequestJson,
  CreateMaintenanceWindowResponseJson,
  GetMaintenanceWindowResponseJson,
  ListMaintenanceWindowsResponseJson,
  MaintenanceWindowJson,
} from '@nightbell/proto';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '~/lib/api';
import { ifMatch, type Version } from '~/lib/edits';
import { callPages } from '~/lib/pages';
import { freshFor } from '~/lib/query-client';
import { maintenanceKeys } from './keys';
import { renew } from './renewal';

const addressOf = (id: string) => `/v1/maintenance-windows/${encodeURIComponent(id)}`;

/** Every window, the one that ends last first. Asked again every minute. */
export const windowList = queryOptions({
  queryKey: maintenanceKeys.list,
  staleTime: freshFor.list,
  refetchInterval: freshFor.list,
  queryFn: async ({ signal }): Promise<MaintenanceWindowJson[]> => {
    const pages = await callPages<ListMaintenanceWindowsResponseJson>({
      method: 'GET',
      path: '/v1/maintenance-windows',
      action: 'fetch maintenance windows',
      signal,
    });
    return pages.flatMap((page) => page.maintenance_windows ?? []);
  },
});

/** One window as it is stored now. */
export const windowById = (id: string) =>
  queryOptions({
    queryKey: maintenanceKeys.one(id),
    staleTime: 0,
    queryFn: async ({ signal }): Promise<MaintenanceWindowJson> => {
      const answer = await call<GetMaintenanceWindowResponseJson>({
        method: 'GET',
        path: addressOf(id),
        action: 'fetch maintenance window',
        signal,
      });
      return answer.maintenance_window ?? {};
    },
  });

/** Announces planned work. Fails with ApiError, which the dialog shows. */
export function useCreateWindow() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: CreateMaintenanceWindowRequestJson) =>
      call<CreateMaintenanceWindowResponseJson>({
        method: 'POST',
        path: '/v1/maintenance-windows',
        body,
        action: 'create maintenance window',
        keepSession: true,
      }),
    onSuccess: () => void renew(client, 'maintenance'),
  });
}

/** Changes a window that has not ended, as it was read. Pages that it holds no longer are sent. Fails with ApiError. */
export function useChangeWindow() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, etag, ...body }: Version & CreateMaintenanceWindowRequestJson) =>
      call<object>({
        method: 'PATCH',
        path: addressOf(id),
        body,
        headers: ifMatch(etag),
        action: 'save maintenance window',
        keepSession: true,
      }),
    onSuccess: () => void renew(client, 'maintenance'),
  });
}

/** Ends a window now, or calls it off before it began. What it held is paged. */
export function useEndWindow() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      call<object>({
        method: 'POST',
        path: `${addressOf(id)}/end`,
        body: {},
        action: 'end maintenance window',
        keepSession: true,
      }),
    onSuccess: () => void renew(client, 'maintenance'),
  });
}
