import { useState } from 'react';
import { Link } from 'react-router';
import { AddressLink } from '~/components/ui/address-link';
import { Badge } from '~/components/ui/badge';
import { Icon } from '~/components/ui/icon';
import { Time } from '~/components/ui/time';
import { useKeys } from '~/lib/keys';
import { paths } from '~/lib/paths';
import { mayAct } from '~/lib/role';
import { useNow } from '~/lib/time/clock';
import { relativeTime } from '~/lib/time/words';
import { capitalised, shortId } from '~/lib/words';
import type { Incident } from '../model/incident';
import { severityIcon } from '../model/severity';
import * as styles from './incident-page.module.css';
import { SeverityDialog } from './severity-dialog';

/** Which incident, how bad, since when. */
export function IncidentHead({ incident }: { incident: Incident }) {
  const now = useNow(10_000);
  return (
    <div>
      <h1>
        <span className="mono">{shortId(incident.id)}</span> - {incident.title}
      </h1>
      <p className={styles.meta}>
        <Severity incident={incident} />
        <span>
          Opened {relativeTime(incident.triggeredAt, now)}
          {incident.acknowledgedBy
            ? `, acknowledged by ${incident.acknowledgedBy.name}`
            : ` by ${incident.declaredBy?.name ?? 'System'}`}
        </span>
        <Time at={incident.triggeredAt} className="text-3 hide-phone" />
        {incident.runbookUrl && (
          <AddressLink className="link" to={incident.runbookUrl}>
            Runbook
          </AddressLink>
        )}
      </p>
      {incident.mergedInto && (
        <p className={styles.description}>
          Merged into{' '}
          <Link className="link" to={paths.incident(incident.mergedInto.id)}>
            <span className="mono">{shortId(incident.mergedInto.id)}</span> {incident.mergedInto.title}
          </Link>
          , which has its alerts since.
        </p>
      )}
      {incident.description && <p className={styles.description}>{incident.description}</p>}
    </div>
  );
}

/** How bad it is. Whoever answers incidents presses it to say otherwise. */
function Severity({ incident }: { incident: Incident }) {
  const [open, setOpen] = useState(false);
  const over = incident.status === 'resolved';
  const changes = !over && mayAct('responder');
  useKeys(
    changes
      ? [{ keys: 's', word: 'Change severity', section: 'On an incident', run: () => setOpen(true) }]
      : [],
  );
  const badge = (
    <Badge
      tone={incident.severity === 'critical' && !over ? 'critical' : undefined}
      icon={severityIcon(incident.severity)}
    >
      {capitalised(incident.severity)}
    </Badge>
  );
  if (!changes) return badge;
  return (
    <>
      <button
        type="button"
        className={styles.severity}
        aria-haspopup="dialog"
        aria-label={`${capitalised(incident.severity)}, change severity`}
        onClick={() => setOpen(true)}
      >
        {badge}
        <Icon name="edit" />
      </button>
      <span className={styles.onPaper}>{badge}</span>
      {open && <SeverityDialog incident={incident} onClose={() => setOpen(false)} />}
    </>
  );
}
