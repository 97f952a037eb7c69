import type { ListNotificationsResponseJson, NotificationJson } from '@nightbell/proto';
import { queryOptions } from '@tanstack/react-query';
import { call } from '~/lib/api';
import { freshFor } from '~/lib/query-client';
import { incidentKeys } from './keys';

/** Who was paged, how, when and with what result. */
export function incidentNotifications(id: string) {
  return queryOptions({
    queryKey: incidentKeys.notifications(id),
    staleTime: freshFor.detail,
    queryFn: async ({ signal }): Promise<NotificationJson[]> => {
      const path = `/v1/incidents/${encodeURIComponent(id)}/notifications`;
      const answer = await call<ListNotificationsResponseJson>({
        method: 'GET',
        path,
        action: 'fetch notifications',
        signal,
      });
      return answer.notifications ?? [];
    },
  });
}
