import type { InboxMailJson } from '@nightbell/proto';
import { Link } from 'react-router';
import { type More, usePortion } from '~/components/ui/portion';
import { useNow } from '~/lib/clock';
import { fullTime, relativeTime } from '~/lib/format';
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
          const at = new Date(mail.received_at ?? 0);
          return (
            <li key={mail.id}>
              <Link
                to={`?mail=${mail.id}`}
                aria-current={mail.id === openId ? 'true' : undefined}
                preventScrollReset
              >
                <span className={`${styles.to} ellipsis`}>{readerOf(mail.to ?? '')}</span>
                <time dateTime={at.toISOString()} title={fullTime(at)}>
                  {relativeTime(at, now)}
                </time>
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
