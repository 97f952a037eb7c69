import type { ServiceActivityJson } from '@nightbell/proto';

const soon = 2 * 60 * 60 * 1000;

/** The incident that began within two hours after a change, the first of them; activity is newest first. */
export function incidentAfter(
  activity: readonly ServiceActivityJson[],
  place: number,
): ServiceActivityJson | undefined {
  const change = activity[place];
  if (!change || change.kind === 'incident') return undefined;
  const next = activity.slice(0, place).findLast(({ kind }) => kind === 'incident');
  return next && Date.parse(next.at ?? '') - Date.parse(change.at ?? '') <= soon ? next : undefined;
}

/** The words of a day: Today, Yesterday, or "Mon 23 Mar". */
export function dayOf(at: Date, now: Date): string {
  const days = Math.round((midnight(now) - midnight(at)) / 86_400_000);
  if (days === 0) return 'Today';
  if (days === 1) return 'Yesterday';
  return at
    .toLocaleDateString('en-GB', { weekday: 'short', day: 'numeric', month: 'short' })
    .replace(',', '');
}

function midnight(at: Date): number {
  return new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime();
}
