import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { Avatar } from '~/components/ui/avatar';
import { Card } from '~/components/ui/card';
import { Icon } from '~/components/ui/icon';
import { BoneRows } from '~/components/ui/skeleton';
import { Empty, FetchFailed, Loading } from '~/components/ui/states';
import { incidentNotifications } from '~/data/incidents';
import { useHues } from '~/data/members';
import { paths } from '~/lib/paths';
import { useNow } from '~/lib/time/clock';
import { clock } from '~/lib/time/counter';
import { fullTime, offset } from '~/lib/time/words';
import type { Incident } from '../model/incident';
import { ladder, type NextStep, nextStep, type Try } from '../model/ladder';
import type { Reason } from '../model/reason';
import * as incidentPageStyles from './incident-page.module.css';
import * as styles from './paging-ladder.module.css';

/** The trail of paging: who, how, when, with what result, and who is next. */
export function PagingLadder({ incident }: { incident: Incident }) {
  const notifications = useQuery(incidentNotifications(incident.id));
  const steps = notifications.data ? ladder(incident, notifications.data) : [];
  const next = nextStep(incident.escalation);
  const policy = incident.escalation?.policyName;
  // While paging goes on, the reason is what it waits for.
  const held = incident.escalation?.status === 'active' && incident.escalation.reason;
  return (
    <Card
      title="Who was paged"
      className={styles.ladder}
      actions={policy && <span className={`${incidentPageStyles.policy} hide-phone`}>Policy: {policy}</span>}
    >
      {notifications.isPending && (
        <Loading what="pages" quiet>
          <BoneRows count={5} />
        </Loading>
      )}
      <FetchFailed of={notifications} />
      {notifications.data && steps.length === 0 && !next && (
        <Empty>Nobody was paged for this incident.</Empty>
      )}
      {steps.map((step) => (
        <section key={step.key}>
          <h3 className={styles.step}>{step.title}</h3>
          <ol>
            {step.tries.map((entry) => (
              <TryRow key={entry.key} entry={entry} />
            ))}
          </ol>
        </section>
      ))}
      {held && (
        <p className={styles.held}>
          <Icon name="pause" />
          {held}
        </p>
      )}
      {next && <Upcoming next={next} start={incident.triggeredAt} />}
      {incident.status === 'triggered' && incident.escalation?.status === 'exhausted' && (
        <p className={styles.ranOut}>
          <Icon name="alert" />
          {incident.escalation.reason || 'Nobody is left to page.'}
        </p>
      )}
    </Card>
  );
}

function TryRow({ entry }: { entry: Try }) {
  const hueOf = useHues();
  return (
    <li className={styles.attempt} data-look={entry.look}>
      <span className={`${styles.offset} mono`}>{entry.offset}</span>
      <span className={styles.node} />
      <span className={styles.channel}>
        <Icon name={entry.icon} />
        {entry.channel}
      </span>
      <span className={styles.who}>
        {entry.person && <Avatar name={entry.person.name} hue={hueOf(entry.person.id)} />}
        <span className="ellipsis">{entry.who}</span>
      </span>
      <span className={styles.result}>{entry.result}</span>
      <span className={`${styles.took} mono`}>{entry.took}</span>
      {entry.why && <Why reason={entry.why} />}
    </li>
  );
}

function Why({ reason }: { reason: Reason }) {
  return (
    <details className={styles.why}>
      <summary>{reason.sentence}</summary>
      <dl>
        {reason.policyName && (
          <div>
            <dt>Policy</dt>
            <dd>
              {reason.policyId ? (
                <Link className="link" to={paths.policy(reason.policyId)}>
                  {reason.policyName}
                </Link>
              ) : (
                reason.policyName
              )}
            </dd>
          </div>
        )}
        {reason.facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

function Upcoming({ next, start }: { next: NextStep; start: Date }) {
  const now = useNow(1000);
  const left = (next.dueAt.getTime() - now.getTime()) / 1000;
  return (
    <section>
      <h3 className={styles.step} title={fullTime(next.dueAt)}>
        <span>
          {next.title},{' '}
          {left > 0 ? (
            <>
              in <span className="mono">{clock(left)}</span>
            </>
          ) : (
            'now'
          )}{' '}
          unless acknowledged
        </span>
      </h3>
      <ol>
        {whomNext(next).map((target) => (
          <li key={target} className={styles.attempt} data-look="waiting">
            <span className={`${styles.offset} mono`}>
              {offset((next.dueAt.getTime() - start.getTime()) / 1000)}
            </span>
            <span className={styles.node} />
            <span className={styles.channel}>
              <Icon name="users" />
              Page
            </span>
            <span className={styles.who}>
              <span className="ellipsis">{target}</span>
            </span>
            <span className={styles.result}>Waiting</span>
            <span className={styles.took} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function whomNext(next: NextStep): readonly string[] {
  if (next.ends) return [];
  return next.targets.length > 0 ? next.targets : ['Whoever is on call then'];
}
