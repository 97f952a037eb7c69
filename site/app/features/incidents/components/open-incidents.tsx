import { Link } from 'react-router';
import { SeverityMark, StatusMark } from '~/components/ui/mark';
import { useNow } from '~/lib/clock';
import { fullTime, relativeTime, shortId } from '~/lib/format';
import { paths } from '~/lib/paths';
import { holder, type Incident } from '../model/incident';

/** A short list of incidents for pages that are about something else. */
export function OpenIncidents({ incidents }: { incidents: readonly Incident[] }) {
  const now = useNow(15_000);
  return (
    <ul className="open-incidents">
      {incidents.map((incident) => (
        <li key={incident.id} className={incident.status}>
          <Link to={paths.incident(incident.id)}>
            <span className="mono text-3">{shortId(incident.id)}</span>
            <span className="title">{incident.title}</span>
            <StatusMark value={incident.status} />
            <SeverityMark value={incident.severity} />
            <span className="text-2 holder ellipsis">{holder(incident)?.name ?? 'Unassigned'}</span>
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
  );
}
