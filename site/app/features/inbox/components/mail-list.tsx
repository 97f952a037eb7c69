import type { InboxMailJson } from '@nightbell/proto';
import { Link } from 'react-router';
import { type More, usePortion } from '~/components/ui/portion';
import { Time } from '~/components/ui/time';
import { useNow } from '~/lib/time/clock';
import { dateOf } from '~/lib/time/instant';
import { relativeTime } from '~/lib/time/words';
import * as styles from '../inbox.module.css';
import { readerOf } from '../model/links';

interface MailListProps {
  mails: readonly InboxMailJson[];
  /** Has the older ones that are not loaded yet. */
  source: More;
  openId: string;
}

/** The mails, newest first; the open one is marked. */
export function MailList({ mails, source, openId }: MailListProps) {
  const now = useNow(10_000);
  const { shown, more } = usePortion(mails, { source });
  return (
    <div className={styles.mailList}>
      <ul>
        {shown.map((mail) => {
          const at = dateOf(mail.received_at);
          return (
            <li key={mail.id}>
              <Link
                to={`?mail=${mail.id}`}
                aria-current={mail.id === openId ? 'true' : undefined}
                preventScrollReset
              >
                <span className={`${styles.to} ellipsis`}>{readerOf(mail.to ?? '')}</span>
                <Time at={at}>{relativeTime(at, now)}</Time>
                <span className={styles.subject}>{mail.subject}</span>
              </Link>
            </li>
          );
        })}
      </ul>
      {more}
    </div>
  );
}
