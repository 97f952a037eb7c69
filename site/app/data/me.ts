import type { GetMeResponseJson } from '@nightbell/proto';
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { ApiError, call, userOf } from '~/lib/api';
import type { Session } from '~/lib/session';
import { replaceUser } from '~/lib/session-change';
import { meKeys } from './keys';

const minute = 60_000;

/**
 * Keeps the stored person, and so the role, as the server knows them: asked when the workspace opens,
 * when the reader comes back to it, and when the server has refused something for want of a role.
 */
export function useFreshRole(session: Session): void {
  const client = useQueryClient();
  useQuery({
    queryKey: meKeys.all,
    staleTime: minute,
    refetchOnWindowFocus: true,
    queryFn: async ({ signal }) => {
      const answer = await call<GetMeResponseJson>({
        method: 'GET',
        path: '/v1/auth/me',
        action: 'fetch who is signed in',
        signal,
      });
      const user = userOf(answer);
      if (user) replaceUser(session, user);
      return user;
    },
  });
  useEffect(
    () => onForbidden(client, () => void client.invalidateQueries({ queryKey: meKeys.all })),
    [client],
  );
}

function onForbidden(client: QueryClient, notify: () => void): () => void {
  const look = (event: {
    type: string;
    action?: { type: string; error?: unknown };
    query?: { queryKey: readonly unknown[] };
  }) => {
    // Asking who one is, refused itself, would be asked again without an end.
    if (event.query?.queryKey[0] === meKeys.all[0]) return;
    const error = event.action?.type === 'error' ? event.action.error : null;
    if (error instanceof ApiError && error.status === 403) notify();
  };
  const stops = [client.getMutationCache().subscribe(look), client.getQueryCache().subscribe(look)];
  return () => {
    for (const stop of stops) stop();
  };
}
