import type {
  CalendarFeedJson,
  ListCalendarFeedsResponseJson,
  RotateCalendarFeedResponseJson,
} from '@nightbell/proto';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '~/lib/api';
import { freshFor } from '~/lib/query-client';
import { oncallKeys } from './keys';

/** A secret address under which calendars subscribe to shifts. */
export interface Feed {
  id: string;
  /** Empty for the reader's own shifts. */
  scheduleId: string;
  url: string;
  /** Null while no calendar has read it. */
  lastUsedAt: Date | null;
}

/** The reader's own feed and those of schedules, as far as they exist. */
export const calendarFeeds = queryOptions({
  queryKey: oncallKeys.feeds,
  staleTime: freshFor.detail,
  queryFn: async ({ signal }): Promise<Feed[]> => {
    const answer = await call<ListCalendarFeedsResponseJson>({
      method: 'GET',
      path: '/v1/calendar-feeds',
      action: 'fetch calendar feeds',
      signal,
    });
    return (answer.calendar_feeds ?? []).map(toFeed);
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
