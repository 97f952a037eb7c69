import { useState } from 'react';
import { later, useAhead } from '~/components/later';
import { Button } from '~/components/ui/button';
import { mayAct } from '~/lib/role';
import type { Schedule } from '../model/schedule';

const CalendarFeeds = later('Calendar feeds', () =>
  import('./calendar-feeds').then((chunk) => chunk.CalendarFeeds),
);

/** Shows the address under which calendars read the schedule, and the reader's own shifts. */
export function SubscribeButton({ schedule }: { schedule: Schedule }) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  useAhead(CalendarFeeds);
  if (!mayAct('responder')) return null;
  return (
    <>
      <Button
        size="sm"
        icon="link"
        aria-haspopup="dialog"
        onClick={(event) => setAnchor(event.currentTarget)}
      >
        Subscribe
      </Button>
      {anchor && <CalendarFeeds schedule={schedule} anchor={anchor} onClose={() => setAnchor(null)} />}
    </>
  );
}
