import type { Counts } from '~/data/incidents';
import { dateOf } from '~/lib/time/instant';
import type { Incident } from './incident';

/** The counts of a list, for when the server's own are not there yet. */
export function countByStatus(incidents: readonly Incident[]): Counts {
  const counts: Counts = { triggered: 0, acknowledged: 0, resolved: 0 };
  for (const { status } of incidents) {
    if (status === 'triggered' || status === 'acknowledged' || status === 'resolved') counts[status] += 1;
  }
  return counts;
}

/** The earliest start among the incidents of a status, or null. */
export function oldestStart(incidents: readonly Incident[], status: string): Date | null {
  const starts = incidents
    .filter((incident) => incident.status === status)
    .map((incident) => incident.triggeredAt.getTime());
  return starts.length === 0 ? null : dateOf(Math.min(...starts));
}
