import { Link } from 'react-router';
import { SeverityMark, StatusMark } from '~/components/ui/mark';
import { type More, usePortion } from '~/components/ui/portion';
import { useNow } from '~/lib/clock';
import { fullTime, relativeTime, shortId } from '~/lib/format';
import { paths } from '~/lib/paths';
import { holder, type Incident } from '../model/incident';
import * as styles from './open-incidents.module.css';

/** A list of incidents for pages that are about something else; `source` has those that are not loaded yet. */
export function OpenIncidents({ incidents, source }: { incidents: readonly Incident[]; source: More }) {
  const now = useNow(15_000);
  const { shown, more } = usePortion(incidents, { source });
  return (
    <>
      <ul className={styles.openIncidents}>
        {shown.map((incident) => (
          <li key={incident.id} data-status={incident.status}>
            <Link to={paths.incident(incident.id)}>
              <span className="mono text-3">{shortId(incident.id)}</span>
              <span className={styles.title}>{incident.title}</span>
              <StatusMark value={incident.status} />
              <SeverityMark value={incident.severity} />
              <span className={`text-2 ${styles.holder} ellipsis`}>
                {holder(incident)?.name ?? 'Unassigned'}
              </span>
              <time
                className="text-3"
                dateTime={incident.triggeredAt.toISOString()}
                title={fullTime(incident.triggeredAt)}
              >
                {relativeTime(incident.triggeredAt, now)}
              </time>
            </Link>
          </li>
        ))}
      </ul>
      {more}
    </>
  );
}
