import type {
  GetSendersResponseJson,
  IncidentJson,
  ListIncidentsResponseJson,
  SenderJson,
} from '@nightbell/proto';
import { queryOptions } from '@tanstack/react-query';
import { call } from '~/lib/api';
import { senderKeys } from './keys';

// Somebody who waits for the first alert sees it within this.
const lookEvery = 2000;
const often = 30_000;

/**
 * What calls about a service, or about any without one. While somebody waits for a call it is asked
 * for every two seconds, as long as the page is seen.
 */
export function senderList(serviceId = '', waiting = false) {
  const query = serviceId ? `?service_id=${encodeURIComponent(serviceId)}` : '';
  return queryOptions({
    queryKey: senderKeys.of(serviceId),
    staleTime: waiting ? 0 : often,
    refetchInterval: waiting ? lookEvery : often,
    queryFn: async ({ signal }): Promise<SenderJson[]> => {
      const answer = await call<GetSendersResponseJson>({
        method: 'GET',
        path: `/v1/senders${query}`,
        action: 'fetch what calls',
        signal,
      });
      return answer.senders ?? [];
    },
  });
}

/** The newest incident of a service that began since a time (RFC 3339); null while there is none. */
export function openedSince(serviceId: string, since: string) {
  const query = new URLSearchParams({ service_id: serviceId, since, limit: '1' });
  return queryOptions({
    queryKey: senderKeys.opened(serviceId, since),
    queryFn: async ({ signal }): Promise<IncidentJson | null> => {
      const answer = await call<ListIncidentsResponseJson>({
        method: 'GET',
        path: `/v1/incidents?${query}`,
        action: 'fetch incidents',
        signal,
      });
      return answer.incidents?.[0] ?? null;
    },
  });
}
