import type { TimelineEntryJson } from '@nightbell/proto';
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { Card } from '~/components/ui/card';
import { Icon } from '~/components/ui/icon';
import { BoneRows } from '~/components/ui/skeleton';
import { Empty, FetchFailed, Loading } from '~/components/ui/states';
import { Time } from '~/components/ui/time';
import { incidentTimeline } from '~/data/incidents';
import { mayAct } from '~/lib/role';
import { useNow } from '~/lib/time/clock';
import { toDate } from '~/lib/time/instant';
import { nightTime } from '~/lib/time/words';
import { lineOf, newestFirst } from '../model/timeline';
import { CommentBox } from './comment-box';
import * as incidentPageStyles from './incident-page.module.css';
import * as styles from './incident-timeline.module.css';

/** What happened, newest first, and a place to say what you see. */
export function IncidentTimeline({ id }: { id: string }) {
  const timeline = useQuery({ ...incidentTimeline(id), select: newestFirst });
  // Asked for again after it failed it is pending once more, which must take the box from nobody who types.
  const stands = useRef(false);
  stands.current ||= !timeline.isPending;
  return (
    <Card title="Timeline" actions={<span className={incidentPageStyles.policy}>Newest first</span>}>
      {timeline.isPending && (
        <Loading what="timeline" quiet>
          <BoneRows count={5} />
        </Loading>
      )}
      <FetchFailed of={timeline} />
      {timeline.data?.length === 0 && <Empty>Nothing has happened yet.</Empty>}
      <ol className={styles.timeline}>
        {timeline.data?.map((entry) => (
          <TimelineRow key={entry.id} entry={entry} />
        ))}
      </ol>
      {stands.current && mayAct('responder') && <CommentBox id={id} />}
    </Card>
  );
}

function TimelineRow({ entry }: { entry: TimelineEntryJson }) {
  const { icon, lead, rest, said } = lineOf(entry);
  const at = toDate(entry.at);
  const now = useNow(60_000);
  return (
    <li>
      {at && (
        <Time at={at} className="mono">
          {nightTime(at, now)}
        </Time>
      )}
      <Icon name={icon} />
      <div>
        <p>
          {lead && <b>{lead}</b>}
          {rest}
        </p>
        {said && <p className={styles.said}>{said}</p>}
      </div>
    </li>
  );
}
