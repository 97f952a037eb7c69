import type { AlertJson } from '@nightbell/proto';
import { useInfiniteQuery } from '@tanstack/react-query';
import { AddressLink } from '~/components/ui/address-link';
import { Count } from '~/components/ui/badge';
import { Card } from '~/components/ui/card';
import { usePortion } from '~/components/ui/portion';
import { Empty, FetchFailed, Loading } from '~/components/ui/states';
import { Time } from '~/components/ui/time';
import { incidentAlerts } from '~/data/incidents';
import { useNow } from '~/lib/time/clock';
import { toDate } from '~/lib/time/instant';
import { relativeTime } from '~/lib/time/words';
import { capitalised } from '~/lib/words';
import * as styles from './side-list.module.css';

/** The alerts that make up the incident, firing ones first. */
export function LinkedAlerts({ id }: { id: string }) {
  const alerts = useInfiniteQuery(incidentAlerts(id));
  const { shown, more } = usePortion(alerts.data?.alerts ?? [], {
    source: alerts,
    total: alerts.data?.total,
  });
  return (
    <Card
      title="Linked Alerts"
      actions={alerts.data && alerts.data.total > 0 && <Count value={alerts.data.total} />}
    >
      {alerts.isPending && <Loading what="alerts" quiet />}
      <FetchFailed of={alerts} />
      {alerts.data?.alerts.length === 0 && (
        <Empty>No alert is linked. The incident was declared by hand or by a program.</Empty>
      )}
      <ul className={styles.sideList}>
        {shown.map((alert) => (
          <AlertRow key={alert.id} alert={alert} />
        ))}
      </ul>
      {more}
    </Card>
  );
}

function AlertRow({ alert }: { alert: AlertJson }) {
  const now = useNow(30_000);
  const started = toDate(alert.starts_at);
  const repeats = alert.occurrence_count ?? 1;
  return (
    <li data-status={alert.status}>
      <span className="grow">
        <span className={`mono ${styles.name}`}>
          {isWebLink(alert.link) ? <AddressLink to={alert.link}>{alert.title}</AddressLink> : alert.title}
        </span>
        <span className="text-3 size-12">
          {capitalised(alert.source ?? '')}, {alert.status}
          {repeats > 1 && `, ${repeats} times`}
        </span>
      </span>
      {started && (
        <Time at={started} className={styles.aside}>
          {relativeTime(started, now)}
        </Time>
      )}
    </li>
  );
}

// The address comes from whoever sent the alert; anything but http would be an attack.
function isWebLink(link: string | undefined): link is string {
  return /^https?:\/\//.test(link ?? '');
}
