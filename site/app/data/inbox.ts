import type { GetInboxMailResponseJson, InboxMailJson, ListInboxResponseJson } from '@nightbell/proto';
import { type InfiniteData, infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { call } from '~/lib/api';
import { withCursor } from '~/lib/pages';
import { inboxKeys } from './keys';

const renewEvery = 3000;

/**
 * The newest mail first, 200 at once. It is asked for again every three seconds, because the live
 * feed does not carry mail; less often the more of it is loaded.
 */
export const inboxList = infiniteQueryOptions({
  queryKey: inboxKeys.list,
  refetchInterval: (query) => renewEvery * (query.state.data?.pages.length ?? 1),
  initialPageParam: '',
  queryFn: ({ signal, pageParam }) =>
    call<ListInboxResponseJson>({
      method: 'GET',
      path: withCursor('/v1/inbox', pageParam),
      action: 'load inbox',
      signal,
    }),
  getNextPageParam: (page) => page.next_cursor,
  select: allMails,
});

function allMails({ pages }: InfiniteData<ListInboxResponseJson>): readonly InboxMailJson[] {
  return pages.flatMap((page) => page.mails ?? []);
}

/** One mail with its text. A mail never changes. */
export function inboxMail(id: string) {
  return queryOptions({
    queryKey: inboxKeys.mail(id),
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
