import { Badge } from '~/components/ui/badge';
import { useNow } from '~/lib/clock';
import { capitalised, fullTime, relativeTime, shortId } from '~/lib/format';
import type { Incident } from '../model/incident';
import { severityIcon } from '../model/severity';
import * as styles from './incident-page.module.css';

/** Which incident, how bad, since when. */
export function IncidentHead({ incident }: { incident: Incident }) {
  const now = useNow(10_000);
  return (
    <div>
      <h1>
        <span className="mono">{shortId(incident.id)}</span> - {incident.title}
      </h1>
      <p className={styles.meta}>
        <Badge
          tone={incident.severity === 'critical' && incident.status !== 'resolved' ? 'critical' : undefined}
          icon={severityIcon(incident.severity)}
        >
          {capitalised(incident.severity)}
        </Badge>
        <span>
          Opened {relativeTime(incident.triggeredAt, now)}
          {incident.acknowledgedBy
            ? `, acknowledged by ${incident.acknowledgedBy.name}`
            : ` by ${incident.declaredBy?.name ?? 'System'}`}
        </span>
        <time className="text-3 hide-phone" dateTime={incident.triggeredAt.toISOString()}>
          {fullTime(incident.triggeredAt)}
        </time>
      </p>
      {incident.description && <p className={styles.description}>{incident.description}</p>}
    </div>
  );
}
