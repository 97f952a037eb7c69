import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { Button } from '~/components/ui/button';
import { Banner } from '~/components/ui/dialog';
import * as fieldKit from '~/components/ui/field.module.css';
import { Popover } from '~/components/ui/popover';
import { Failed, Loading } from '~/components/ui/states';
import { calendarFeeds, useDeleteFeed, useFeedAddress, useRotateFeed } from '~/data/calendar-feeds';
import { reasonOf } from '~/lib/api';
import { copy } from '~/lib/copy';
import { serverNow } from '~/lib/time/clock';
import { relativeTime } from '~/lib/time/words';
import { type Feed, toFeeds } from '../model/feed';
import type { Schedule } from '../model/schedule';
import * as styles from './calendar-feeds.module.css';

interface CalendarFeedsProps {
  schedule: Schedule;
  anchor: HTMLElement;
  onClose: () => void;
}

/** The addresses under which calendars read a schedule and the reader's own shifts. */
export function CalendarFeeds({ schedule, anchor, onClose }: CalendarFeedsProps) {
  return (
    <Popover anchor={anchor} label="Calendar feeds" onClose={onClose}>
      <Feeds schedule={schedule} />
    </Popover>
  );
}

function Feeds({ schedule }: { schedule: Schedule }) {
  const feeds = useQuery({ ...calendarFeeds, select: toFeeds });
  if (feeds.isPending) return <Loading what="calendar feeds" />;
  if (feeds.isError) {
    return (
      <Failed detail={reasonOf(feeds.error)} onRetry={() => feeds.refetch()}>
        Failed to load calendar feeds
      </Failed>
    );
  }
  const feedOf = (scheduleId: string) => feeds.data.find((feed) => feed.scheduleId === scheduleId);
  return (
    <div className={styles.feeds}>
      <FeedPart title={`${schedule.name}, all shifts`} scheduleId={schedule.id} feed={feedOf(schedule.id)} />
      <FeedPart title="My shifts, all schedules" scheduleId="" feed={feedOf('')} />
      <p className="text-3 size-12">
        Add an address to your calendar by its URL. Anyone who has it can read the shifts; a new one ends the
        old.
      </p>
    </div>
  );
}

function FeedPart({ title, scheduleId, feed }: { title: string; scheduleId: string; feed?: Feed }) {
  const id = useId();
  const rotate = useRotateFeed(scheduleId);
  const remove = useDeleteFeed();
  const address = useFeedAddress(feed?.id ?? '');
  const failure = rotate.error ?? remove.error ?? address.error;
  return (
    <section className={styles.feed} aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      {failure && <Banner tone="failed">{reasonOf(failure)}</Banner>}
      {feed?.url && (
        <label className={fieldKit.field}>
          <input
            readOnly
            className="mono"
            aria-label={`Address of ${title}`}
            value={feed.url}
            onFocus={(event) => event.currentTarget.select()}
          />
        </label>
      )}
      {feed && (
        <p className="text-3 size-12">
          {feed.lastUsedAt ? `Last read ${relativeTime(feed.lastUsedAt, serverNow())}.` : 'Not read yet.'}
        </p>
      )}
      <div className="row">
        {feed && (
          <Button
            size="sm"
            icon="copy"
            disabled={address.isPending}
            onClick={() =>
              feed.url ? copy(feed.url) : address.mutate(undefined, { onSuccess: (url) => void copy(url) })
            }
          >
            Copy
          </Button>
        )}
        <Button size="sm" icon="refresh" disabled={rotate.isPending} onClick={() => rotate.mutate()}>
          {feed ? 'New address' : 'Make an address'}
        </Button>
        {feed && (
          <Button size="sm" look="danger" disabled={remove.isPending} onClick={() => remove.mutate(feed.id)}>
            End it
          </Button>
        )}
      </div>
    </section>
  );
}
