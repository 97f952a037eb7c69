import type {
  CreateMaintenanceWindowRequestJson,
  CreateMaintenanceWindowResponseJson,
  GetMaintenanceWindowResponseJson,
  ListMaintenanceWindowsResponseJson,
  ListServicesResponseJson,
} from '@nightbell/proto';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Choice } from '~/components/ui/search-select';
import { call } from '~/lib/api';
import { ifMatch } from '~/lib/edits';
import { callPages } from '~/lib/pages';
import { freshFor } from '~/lib/query-client';
import { type MaintenanceWindow, toWindow } from '../model/window';

/** What is under way or ahead, soonest first, then the newest that ended. Asked again every minute. */
export const windowList = queryOptions({
  queryKey: ['maintenance', 'list'],
  staleTime: freshFor.list,
  refetchInterval: freshFor.list,
  queryFn: async ({ signal }): Promise<MaintenanceWindow[]> => {
    const pages = await callPages<ListMaintenanceWindowsResponseJson>({
      method: 'GET',
      path: '/v1/maintenance-windows',
      action: 'fetch maintenance windows',
      signal,
    });
    return sooner(pages.flatMap((page) => page.maintenance_windows ?? []).map(toWindow));
  },
});

// The answer begins with what ends last.
function sooner(windows: readonly MaintenanceWindow[]): MaintenanceWindow[] {
  const ended = windows.filter((window) => window.state === 'ended');
  const open = windows.filter((window) => window.state !== 'ended');
  return [...open.toSorted((a, b) => a.startsAt.getTime() - b.startsAt.getTime()), ...ended];
}

/** The services that can be worked on. */
export const serviceChoices = queryOptions({
  queryKey: ['services', 'maintenance'],
  staleTime: freshFor.list,
  queryFn: async ({ signal }): Promise<Choice[]> => {
    const pages = await callPages<ListServicesResponseJson>({
      method: 'GET',
      path: '/v1/services',
      action: 'fetch services',
      signal,
    });
    return pages
      .flatMap((page) => page.services ?? [])
      .map(({ id = '', name = '' }) => ({ id, word: name, icon: 'services' }));
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
    onSuccess: () => renew(client),
  });
}

/** One window as it is stored now. */
export const windowById = (id: string) =>
  queryOptions({
    queryKey: ['maintenance', 'one', id],
    staleTime: 0,
    queryFn: async ({ signal }): Promise<MaintenanceWindow> => {
      const answer = await call<GetMaintenanceWindowResponseJson>({
        method: 'GET',
        path: addressOf(id),
        action: 'fetch maintenance window',
        signal,
      });
      return toWindow(answer.maintenance_window ?? {});
    },
  });

/** Changes a window that has not ended, as it was read. Pages that it holds no longer are sent. Fails with ApiError. */
export function useChangeWindow({ id, etag }: MaintenanceWindow) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: CreateMaintenanceWindowRequestJson) =>
      call<object>({
        method: 'PATCH',
        path: addressOf(id),
        body,
        headers: ifMatch(etag),
        action: 'save maintenance window',
        keepSession: true,
      }),
    onSuccess: () => renew(client),
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
    onSuccess: () => renew(client),
  });
}

const addressOf = (id: string) => `/v1/maintenance-windows/${encodeURIComponent(id)}`;

function renew(client: ReturnType<typeof useQueryClient>): void {
  for (const key of ['maintenance', 'incidents', 'explain'])
    void client.invalidateQueries({ queryKey: [key] });
}
