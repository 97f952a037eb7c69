import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import * as cardKit from '~/components/ui/card.module.css';
import { HealthMark, SeverityMark, StatusMark } from '~/components/ui/mark';
import { serviceList } from '~/data/services';
import { useNow } from '~/lib/time/clock';
import { duration, nightTime, relativeTime } from '~/lib/time/words';
import { holder, type Incident } from '../model/incident';
import { toServiceStates } from '../model/service-state';
import * as styles from './incident-strip.module.css';

const healthWords: Record<string, string> = {
  healthy: 'Operational',
  degraded: 'Degraded performance',
  down: 'Service disruption',
};

/** The four answers: status, severity, assignee, service. */
export function IncidentStrip({ incident }: { incident: Incident }) {
  const states = useQuery({ ...serviceList, select: toServiceStates });
  const service = states.data?.find((one) => one.id === incident.serviceId);
  return (
    <dl className={`${cardKit.card} ${styles.strip}`} aria-label="Details">
      <Fact name="Status" note={<StatusNote incident={incident} />}>
        <StatusMark value={incident.status} />
      </Fact>
      <Fact name="Severity" note={alertNote(incident)}>
        <SeverityMark value={incident.severity} />
      </Fact>
      <Fact name="Assignee" note={holderNote(incident)}>
        {holder(incident)?.name ?? 'Unassigned'}
      </Fact>
      <Fact
        name="Service"
        note={
          service
            ? `${healthWords[service.health] ?? service.health}${service.tier ? `, tier ${service.tier}` : ''}`
            : states.isPending && '\u00a0' // keeps the place, so that nothing below jumps
        }
      >
        {service ? (
          <HealthMark value={service.health} word={service.name} />
        ) : (
          incident.serviceName || 'Unknown Service'
        )}
      </Fact>
    </dl>
  );
}

function Fact({ name, note, children }: { name: string; note?: ReactNode; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
      {note && <dd className={styles.note}>{note}</dd>}
    </div>
  );
}

function StatusNote({ incident }: { incident: Incident }) {
  const now = useNow(1000);
  const since = (at: Date) => duration((now.getTime() - at.getTime()) / 1000);
  if (incident.status === 'triggered') return `Waiting for ${since(incident.triggeredAt)}`;
  if (incident.confirmationWanted) return 'To be acknowledged again';
  if (incident.snoozedUntil) return `Snoozed until ${shortly(incident.snoozedUntil, now)}`;
  if (incident.status === 'acknowledged' && incident.acknowledgedAt)
    return `For ${since(incident.acknowledgedAt)}`;
  if (!incident.resolvedAt) return null;
  const took = duration((incident.resolvedAt.getTime() - incident.triggeredAt.getTime()) / 1000);
  return `After ${took}, ${relativeTime(incident.resolvedAt, now)}`;
}

// Without the seconds.
const shortly = (at: Date, now: Date) => nightTime(at, now).replace(/:\d\d$/, '');

function alertNote(incident: Incident): string {
  if (incident.alertCount === 0) return incident.source === 'manual' ? 'Declared by hand' : '';
  return incident.alertCount === 1 ? 'From 1 alert' : `From ${incident.alertCount} alerts`;
}

function holderNote(incident: Incident): string {
  if (incident.status === 'resolved') return '';
  if (incident.status === 'triggered' && incident.escalation?.status === 'exhausted')
    return incident.escalation.reason;
  if (incident.assignee && !incident.acknowledgedBy) return 'Not acknowledged yet';
  return incident.status === 'triggered' ? 'Nobody has acknowledged yet' : '';
}
