import type {
  CalendarFeedJson,
  GetCalendarFeedKeyResponseJson,
  ListCalendarFeedsResponseJson,
  RotateCalendarFeedResponseJson,
} from '@nightbell/proto';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '~/lib/api';
import { callPages } from '~/lib/pages';
import { freshFor } from '~/lib/query-client';
import { feedKeys } from './keys';
import { askAgain } from './renewal';

/** A feed of a list, and its secret address once somebody has asked for it. */
export type FeedJson = CalendarFeedJson & { url?: string };

/** The reader's own feed and those of schedules, as far as they exist. */
export const calendarFeeds = queryOptions({
  queryKey: feedKeys.all,
  staleTime: freshFor.detail,
  queryFn: async ({ signal }): Promise<FeedJson[]> => {
    const pages = await callPages<ListCalendarFeedsResponseJson>({
      method: 'GET',
      path: '/v1/calendar-feeds',
      action: 'fetch calendar feeds',
      signal,
    });
    return pages.flatMap((page) => page.calendar_feeds ?? []);
  },
});

/** The mutation that makes the address of a schedule's feed, or of the reader's own without an id. The old one ends. */
export function useRotateFeed(scheduleId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (): Promise<FeedJson> => {
      const answer = await call<RotateCalendarFeedResponseJson>({
        method: 'POST',
        path: '/v1/calendar-feeds',
        body: scheduleId ? { schedule_id: scheduleId } : {},
        action: 'make a calendar address',
        keepSession: true,
      });
      return { ...answer.calendar_feed, url: answer.url };
    },
    // The list does not have the address, so it is not asked again.
    onSuccess: (feed) =>
      client.setQueryData(calendarFeeds.queryKey, (old = []) => [
        ...old.filter((one) => one.schedule?.id !== feed.schedule?.id),
        feed,
      ]),
  });
}

/** The mutation that reads the address of a feed, which lists do not have. The audit log names who asked. */
export function useFeedAddress(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (): Promise<string> => {
      const answer = await call<GetCalendarFeedKeyResponseJson>({
        method: 'GET',
        path: `/v1/calendar-feeds/${encodeURIComponent(id)}/key`,
        action: 'read the calendar address',
        keepSession: true,
      });
      return answer.url ?? '';
    },
    onSuccess: (url) =>
      client.setQueryData(calendarFeeds.queryKey, (old = []) =>
        old.map((one) => (one.id === id ? { ...one, url } : one)),
      ),
  });
}

/** The mutation that ends a feed: whoever has its address reads nothing any more. */
export function useDeleteFeed() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      call<object>({
        method: 'DELETE',
        path: `/v1/calendar-feeds/${encodeURIComponent(id)}`,
        action: 'delete the calendar address',
        keepSession: true,
      }),
    onSettled: () => askAgain(client, [feedKeys.all]),
  });
}
