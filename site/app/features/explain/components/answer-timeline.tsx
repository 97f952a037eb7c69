import { Link } from 'react-router';
import { Avatar } from '~/components/ui/avatar';
import * as avatarKit from '~/components/ui/avatar.module.css';
import * as cardKit from '~/components/ui/card.module.css';
import { Icon, type IconName } from '~/components/ui/icon';
import { Time } from '~/components/ui/time';
import { useHues } from '~/data/members';
import { paths } from '~/lib/paths';
import { nightTime } from '~/lib/time/words';
import type { Answer, Moment, Page } from '../model/answer';
import * as styles from './answer-timeline.module.css';

const icons: Record<Moment['outcome'], IconName> = {
  paged: 'push',
  skipped: 'skip',
  last_resort: 'alert',
  pages_nobody: 'pause',
  held: 'pause',
  exhausted: 'x',
};

/** The answer, moment by moment, to the end of the policy. */
export function AnswerTimeline({ answer }: { answer: Answer }) {
  return (
    <section className={`${cardKit.card} ${styles.answer}`} aria-label="Answer">
      <header>
        <h2>{answer.summary || 'Nobody would be paged.'}</h2>
      </header>
      {answer.heldUntil && <Held until={answer.heldUntil} because={answer.heldBecause} />}
      <p className={styles.basis}>
        {answer.policyId ? (
          <>
            By <Link to={paths.policy(answer.policyId)}>{answer.policyName}</Link>
          </>
        ) : (
          'No policy applies'
        )}
        , as of <Time at={answer.at} />, if nobody answers.
      </p>
      <ol className={styles.moments}>
        {answer.moments.map((moment) => (
          <MomentRow key={moment.key} moment={moment} since={answer.at} />
        ))}
      </ol>
    </section>
  );
}

function Held({ until, because }: { until: Date; because: string }) {
  return (
    <p className={styles.heldNote}>
      <Icon name="wrench" />
      <span>
        <b>Maintenance holds these pages</b> until <Time at={until} />
        {because && `: ${because}`}. What is still open then is paged.
      </span>
    </p>
  );
}

function MomentRow({ moment, since }: { moment: Moment; since: Date }) {
  return (
    <li data-outcome={moment.outcome}>
      <div className={styles.at}>
        <Time at={moment.at} className="mono">
          {nightTime(moment.at, since)}
        </Time>
        <span className="size-12 text-3">{moment.when}</span>
      </div>
      <span className={styles.node}>
        <Icon name={icons[moment.outcome]} />
      </span>
      <div className={styles.what}>
        <h3>{moment.title}</h3>
        {moment.outcome !== 'paged' && <p className="text-2">{moment.message}</p>}
        {moment.pages.length > 0 && (
          <ul>
            {moment.pages.map((page) => (
              <PageRow key={page.key} page={page} />
            ))}
          </ul>
        )}
      </div>
    </li>
  );
}

function PageRow({ page }: { page: Page }) {
  const hueOf = useHues();
  return (
    <li>
      {page.personId ? (
        <Avatar name={page.who} hue={hueOf(page.personId)} />
      ) : (
        <span className={avatarKit.avatar}>
          <Icon name="chat" />
        </span>
      )}
      <div>
        <p className={styles.who}>{page.who}</p>
        <p className="text-2">{page.sentence}</p>
        {page.contacts.length === 0 && <p className={styles.unreachable}>No usable contact method</p>}
        <ul className={styles.contactsLine}>
          {page.contacts.map((contact) => (
            <li key={`${contact.name}${contact.hint}${contact.delay}`}>
              <Icon name={contact.icon} />
              <span>{contact.name}</span>
              {contact.hint && contact.hint !== contact.name && (
                <span className="mono text-3">{contact.hint}</span>
              )}
              {contact.delay && <span className="text-3">{contact.delay}</span>}
              {contact.skippedBecause && <span className="text-3">{contact.skippedBecause}</span>}
            </li>
          ))}
        </ul>
      </div>
    </li>
  );
}
