import type { ListNotificationsResponseJson, NotificationJson } from '@nightbell/proto';
import { queryOptions } from '@tanstack/react-query';
import { callPages } from '~/lib/pages';
import { freshFor } from '~/lib/query-client';
import { incidentKeys } from './keys';

/** Who was paged, how, when and with what result. */
export function incidentNotifications(id: string) {
  return queryOptions({
    queryKey: incidentKeys.notifications(id),
    staleTime: freshFor.detail,
    queryFn: async ({ signal }): Promise<NotificationJson[]> => {
      const path = `/v1/incidents/${encodeURIComponent(id)}/notifications`;
      const pages = await callPages<ListNotificationsResponseJson>({
        method: 'GET',
        path,
        action: 'fetch notifications',
        signal,
      });
      return pages.flatMap((page) => page.notifications ?? []);
    },
  });
}
