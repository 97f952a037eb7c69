import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { incidentCounts, incidentList } from '~/data/incidents';
import { type Incident, needsAnswer, toRows } from '../model/incident';

const severities = ['critical', 'high', 'medium', 'low'];

/** Who may need a person: the unacknowledged incidents, the worst first, as far as they are loaded, and how many there are. */
export function useNeeded() {
  const list = useInfiniteQuery({ ...incidentList({ status: 'open' }), select: toRows });
  const counts = useQuery(incidentCounts).data;
  const loaded = (list.data ?? []).filter(isNeeded);
  const worst = loaded.toSorted(worstFirst)[0];
  // The list has the newest: what is worse than all of these the server is asked for.
  const worse = worst ? severities.slice(0, severities.indexOf(worst.severity)) : severities;
  const beyond = useInfiniteQuery({
    ...incidentList({ status: 'triggered', severity: worse }),
    select: toRows,
    enabled: list.hasNextPage && worse.length > 0,
    placeholderData: (before) => before,
  });
  const older = list.hasNextPage && worse.length > 0 ? (beyond.data ?? []).filter(isNeeded) : [];
  const known = new Set(older.map(({ id }) => id));
  const incidents = [...older, ...loaded.filter(({ id }) => !known.has(id))].toSorted(worstFirst);
  const again = incidents.filter(({ status }) => status !== 'triggered').length;
  return {
    incidents,
    total: Math.max(incidents.length, list.hasNextPage ? (counts?.triggered ?? 0) + again : 0),
    /** Somebody may be needed: it is not known yet. */
    expected: list.isPending && counts?.triggered !== 0,
  };
}

// A row that was resolved here changes before the list is asked for again.
function isNeeded(incident: Incident): boolean {
  return incident.status !== 'resolved' && needsAnswer(incident);
}

function worstFirst(a: Incident, b: Incident): number {
  return (
    severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
    a.triggeredAt.getTime() - b.triggeredAt.getTime()
  );
}
