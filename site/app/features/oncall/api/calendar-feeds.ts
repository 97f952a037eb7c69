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
import { oncallKeys } from './keys';

/** A secret address under which calendars subscribe to shifts. */
export interface Feed {
  id: string;
  /** Empty for the reader's own shifts. */
  scheduleId: string;
  /** Empty until somebody asks for it: it is a secret. */
  url: string;
  /** Null while no calendar has read it. */
  lastUsedAt: Date | null;
}

/** The reader's own feed and those of schedules, as far as they exist. */
export const calendarFeeds = queryOptions({
  queryKey: oncallKeys.feeds,
  staleTime: freshFor.detail,
  queryFn: async ({ signal }): Promise<Feed[]> => {
    const pages = await callPages<ListCalendarFeedsResponseJson>({
      method: 'GET',
      path: '/v1/calendar-feeds',
      action: 'fetch calendar feeds',
      signal,
    });
    return pages.flatMap((page) => page.calendar_feeds ?? []).map(toFeed);
  },
});

/** The mutation that makes the address of a schedule's feed, or of the reader's own without an id. The old one ends. */
export function useRotateFeed(scheduleId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (): Promise<Feed> => {
      const answer = await call<RotateCalendarFeedResponseJson>({
        method: 'POST',
        path: '/v1/calendar-feeds',
        body: scheduleId ? { schedule_id: scheduleId } : {},
        action: 'make a calendar address',
        keepSession: true,
      });
      return { ...toFeed(answer.calendar_feed ?? {}), url: answer.url ?? '' };
    },
    // The list does not have the address, so it is not asked again.
    onSuccess: (feed) =>
      client.setQueryData<Feed[]>(oncallKeys.feeds, (old = []) => [
        ...old.filter((one) => one.scheduleId !== feed.scheduleId),
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
      client.setQueryData<Feed[]>(oncallKeys.feeds, (old = []) =>
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
    onSettled: () => client.invalidateQueries({ queryKey: oncallKeys.feeds }),
  });
}

function toFeed(json: CalendarFeedJson): Feed {
  return {
    id: json.id ?? '',
    scheduleId: json.schedule?.id ?? '',
    url: '',
    lastUsedAt: json.last_used_at ? new Date(json.last_used_at) : null,
  };
}
