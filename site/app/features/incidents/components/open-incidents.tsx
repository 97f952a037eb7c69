import { Link } from 'react-router';
import { SeverityMark, StatusMark } from '~/components/ui/mark';
import { type More, usePortion } from '~/components/ui/portion';
import { Time } from '~/components/ui/time';
import { paths } from '~/lib/paths';
import { useNow } from '~/lib/time/clock';
import { relativeTime } from '~/lib/time/words';
import { shortId } from '~/lib/words';
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
              <Time at={incident.triggeredAt} className="text-3">
                {relativeTime(incident.triggeredAt, now)}
              </Time>
            </Link>
          </li>
        ))}
      </ul>
      {more}
    </>
  );
}
