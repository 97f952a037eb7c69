import type { FeedJson } from '~/data/calendar-feeds';
import { dateOf } from '~/lib/time/instant';

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

/** The feeds of an answer. */
export function toFeeds(feeds: readonly FeedJson[]): Feed[] {
  return feeds.map(({ id = '', schedule, url = '', last_used_at }) => ({
    id,
    scheduleId: schedule?.id ?? '',
    url,
    lastUsedAt: last_used_at ? dateOf(last_used_at) : null,
  }));
}
