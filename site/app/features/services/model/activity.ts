import type { ServiceActivityJson } from '@nightbell/proto';
import { toMs } from '~/lib/time/instant';

const soon = 2 * 60 * 60 * 1000;

/** The incident that began within two hours after a change, the first of them; activity is newest first. */
export function incidentAfter(
  activity: readonly ServiceActivityJson[],
  place: number,
): ServiceActivityJson | undefined {
  const change = activity[place];
  if (!change || change.kind === 'incident') return undefined;
  const next = activity.slice(0, place).findLast(({ kind }) => kind === 'incident');
  return next && toMs(next.at) - toMs(change.at) <= soon ? next : undefined;
}
