import type { GetInboxMailResponseJson, InboxMailJson, ListInboxResponseJson } from '@nightbell/proto';
import { queryOptions } from '@tanstack/react-query';
import { call } from '~/lib/api';

const renewEvery = 3000;

/** The newest mail first. It is asked for again every three seconds, because the live feed does not carry mail. */
export const inboxList = queryOptions({
  queryKey: ['inbox', 'list'],
  refetchInterval: renewEvery,
  queryFn: async ({ signal }): Promise<InboxMailJson[]> => {
    const answer = await call<ListInboxResponseJson>({
      method: 'GET',
      path: '/v1/inbox',
      action: 'load inbox',
      signal,
    });
    return answer.mails ?? [];
  },
});

/** One mail with its text. A mail never changes. */
export function inboxMail(id: string) {
  return queryOptions({
    queryKey: ['inbox', 'mail', id],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }): Promise<InboxMailJson> => {
      const answer = await call<GetInboxMailResponseJson>({
        method: 'GET',
        path: `/v1/inbox/${encodeURIComponent(id)}`,
        action: 'load message',
        messages: { 404: 'Message not found' },
        signal,
      });
      return answer.mail ?? {};
    },
  });
}
