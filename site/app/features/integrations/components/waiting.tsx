import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'react-router';
import { Icon } from '~/components/ui/icon';
import { FetchFailed } from '~/components/ui/states';
import { openedSince, senderList } from '~/data/senders';
import { paths } from '~/lib/paths';
import { serverNow, useNow } from '~/lib/time/clock';
import { dateOf, toIso } from '~/lib/time/instant';
import { clockTime } from '~/lib/time/words';
import { shortId } from '~/lib/words';
import type { SenderEntry } from '../model/catalogue';
import { calledLast } from './integration-cards';
import * as styles from './sender-catalogue.module.css';

/**
 * Whether a sender calls about a service. While it does not, the server is asked every two seconds, and
 * the line turns green by itself when the first call arrives.
 */
export function Waiting({ entry, serviceId }: { entry: SenderEntry; serviceId: string }) {
  const [since] = useState(serverNow);
  const [waits, setWaits] = useState(true);
  const senders = useQuery(senderList(serviceId, waits));
  const now = useNow(10_000);
  const sender = senders.data?.find(({ kind }) => kind === entry.kind);
  const got = sender?.connected ?? false;
  if (waits === got) setWaits(!got);
  const first = sender !== undefined && dateOf(sender.first_called_at) >= since;
  return (
    <>
      <FetchFailed of={senders}>Failed to load what calls</FetchFailed>
      {senders.data && (
        <div className={styles.waiting} data-got={got} role="status">
          {got && <Icon name="check" />}
          {got ? <b>Receiving</b> : <b>Waiting for the first {entry.sends}</b>}
          <p>
            {got && first && <Arrived entry={entry} serviceId={serviceId} since={since} />}
            {sender && !(got && first) && `The last ${entry.sends} came ${calledLast(sender, now)}.`}
            {!sender &&
              `Listening since ${clockTime(since).slice(0, 5)}. Turns green by itself; you may leave this page.`}
          </p>
        </div>
      )}
    </>
  );
}

// What the first call brought.
function Arrived({ entry, serviceId, since }: { entry: SenderEntry; serviceId: string; since: Date }) {
  const opened = useQuery({ ...openedSince(serviceId, toIso(since)), enabled: entry.opens });
  const incident = opened.data;
  let what: ReactNode = '.';
  if (incident?.id)
    what = (
      <>
        : {incident.title}, opened{' '}
        <Link className="link" to={paths.incident(incident.id)}>
          {shortId(incident.id)}
        </Link>
        .
      </>
    );
  return (
    <>
      The first {entry.sends} came just now{what}
    </>
  );
}
