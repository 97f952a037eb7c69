import type { AuditEventJson, ListAuditEventsResponseJson } from '@nightbell/proto';
import { infiniteQueryOptions } from '@tanstack/react-query';
import { call } from '~/lib/api';
import { withCursor } from '~/lib/pages';
import { toIso } from '~/lib/time/instant';
import { auditKeys } from './keys';

/** Which entries of the audit log are wanted; an empty word is all of them. */
export interface AuditFilter {
  actor: string;
  area: string;
  /** Days back from now; 0 is all there are. */
  days: number;
}

/** What is shown before anything is chosen. */
export const shownFirst: AuditFilter = { actor: '', area: '', days: 7 };

const size = 100;
const day = 86_400_000;

/** The audit log, the newest first, a page at a time. Only admins may read it. */
export const auditLog = (filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: auditKeys.list(JSON.stringify(filter)),
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) => page(filter, size, pageParam, signal),
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });

/** Reads up to so many entries at once, for a file. */
export async function readAudit(filter: AuditFilter, most: number): Promise<AuditEventJson[]> {
  const entries: AuditEventJson[] = [];
  let cursor: string | undefined = '';
  while (cursor !== undefined && entries.length < most) {
    const answer: ListAuditEventsResponseJson = await page(filter, 1000, cursor);
    entries.push(...(answer.audit_events ?? []));
    cursor = answer.next_cursor;
  }
  return entries.slice(0, most);
}

function page(filter: AuditFilter, limit: number, cursor: string, signal?: AbortSignal) {
  const since = filter.days > 0 ? `&since=${toIso(Date.now() - filter.days * day)}` : '';
  return call<ListAuditEventsResponseJson>({
    method: 'GET',
    path: withCursor(`/v1/audit-events?${queryOf(filter, limit)}${since}`, cursor),
    action: 'fetch the audit log',
    signal,
  });
}

function queryOf({ actor, area }: AuditFilter, limit: number): string {
  const query = new URLSearchParams({ limit: String(limit) });
  if (actor !== '') query.set('actor_id', actor);
  if (area !== '') query.set('area', area);
  return query.toString();
}
