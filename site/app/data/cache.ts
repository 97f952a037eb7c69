import type { QueryClient } from '@tanstack/react-query';
import { createQueryClient } from '~/lib/query-client';
import { currentSession, identityOf, type Session } from '~/lib/session';

let current: { identity: string; client: QueryClient } | null = null;

/** The cache of the signed-in person, for as long as it is the same person. Somebody else has another one. */
export function cacheOf(session: Session): QueryClient {
  const identity = identityOf(session);
  if (current?.identity !== identity) current = { identity, client: createQueryClient() };
  return current.client;
}

/**
 * The loader of a page: begins to fetch all that the page is about to show, at once and while its code
 * is on its way. Nothing waits for the answers; each part of the page shows its own.
 */
export function prefetch(ask: (client: QueryClient) => readonly Promise<unknown>[]): null {
  const session = currentSession();
  if (session) void Promise.allSettled(ask(cacheOf(session)));
  return null;
}
