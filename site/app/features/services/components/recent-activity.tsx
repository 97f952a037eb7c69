import type { ServiceActivityJson } from '@nightbell/proto';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import { Link } from 'react-router';
import { Card } from '~/components/ui/card';
import { Icon, type IconName } from '~/components/ui/icon';
import * as markKit from '~/components/ui/mark.module.css';
import { usePortion } from '~/components/ui/portion';
import { BoneRows } from '~/components/ui/skeleton';
import { Empty, Failed, Loading } from '~/components/ui/states';
import { Time } from '~/components/ui/time';
import { serviceActivity } from '~/data/services';
import { reasonOf } from '~/lib/api';
import { paths } from '~/lib/paths';
import { useNow } from '~/lib/time/clock';
import { dateOf, toMs } from '~/lib/time/instant';
import { nearDay, shortClock } from '~/lib/time/words';
import { capitalised, shortId } from '~/lib/words';
import { incidentAfter } from '../model/activity';
import * as styles from './recent-activity.module.css';

/** What was changed and what broke, newest first, by day. */
export function RecentActivity({ serviceId }: { serviceId: string }) {
  const activity = useInfiniteQuery(serviceActivity(serviceId));
  const { shown, more } = usePortion(activity.data ?? [], { source: activity });
  const now = useNow(60_000);
  let day = '';
  return (
    <Card title="Recent Activity">
      {activity.isPending && (
        <Loading what="activity" quiet>
          <BoneRows count={4} />
        </Loading>
      )}
      {activity.isError && !activity.data && (
        <Failed detail={reasonOf(activity.error)} onRetry={() => activity.refetch()}>
          Failed to load activity
        </Failed>
      )}
      {activity.data?.length === 0 && (
        <Empty>No activity yet. Deployments appear here when your pipeline reports them.</Empty>
      )}
      {shown.length > 0 && (
        <ol className={styles.activity}>
          {shown.map((entry, place) => {
            const words = entry.at ? nearDay(dateOf(entry.at), now) : day;
            const begins = words !== day;
            day = words;
            return (
              <Fragment key={entry.id}>
                {begins && <li className={styles.day}>{words}</li>}
                <ActivityRow entry={entry} after={incidentAfter(activity.data ?? [], place)} />
              </Fragment>
            );
          })}
        </ol>
      )}
      {more}
    </Card>
  );
}

const icons: Record<string, IconName> = {
  deployment: 'deploy',
  configuration: 'wrench',
  feature_flag: 'swap',
  critical: 'critical',
  high: 'high',
  medium: 'medium',
  low: 'low',
};

function ActivityRow({ entry, after }: { entry: ServiceActivityJson; after?: ServiceActivityJson }) {
  const { id = '', kind = 'other', summary, author, version, status, severity = '' } = entry;
  const at = dateOf(entry.at);
  const incident = kind === 'incident';
  return (
    <li className={after ? `${styles.entry} ${styles.cause}` : styles.entry}>
      <Time at={at} className="mono">
        {shortClock(at)}
      </Time>
      {incident ? (
        <span className={markKit.mark} data-severity={severity}>
          <Icon name={icons[severity] ?? 'low'} className="" />
          <span className="visually-hidden">{capitalised(severity)}</span>
        </span>
      ) : (
        <Icon name={icons[kind] ?? 'edit'} />
      )}
      <div>
        <p>
          {incident ? (
            <>
              {summary}{' '}
              <Link className="mono link" to={paths.incident(id)}>
                {shortId(id)}
              </Link>
              {status && `, ${status}`}
            </>
          ) : (
            <>
              <b>{summary}</b>
              {version && !summary?.includes(version) && <span className="mono"> {version}</span>}
            </>
          )}
        </p>
        {after && <Lead change={at} incident={after} />}
      </div>
      <span className={styles.by}>{author ?? (incident ? '' : kindWords(kind))}</span>
    </li>
  );
}

/** How long before an incident a change was made: what a responder asks first. */
function Lead({ change, incident }: { change: Date; incident: ServiceActivityJson }) {
  const minutes = Math.floor((toMs(incident.at) - change.getTime()) / 60_000);
  return (
    <p className={styles.lead}>
      {minutes === 0 ? 'Just' : `${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`} before{' '}
      <Link className="mono link" to={paths.incident(incident.id ?? '')}>
        {shortId(incident.id ?? '')}
      </Link>
    </p>
  );
}

function kindWords(kind: string): string {
  return capitalised(kind.replaceAll('_', ' '));
}
