import type {
  GetUserDutiesResponseJson,
  GetUserResponseJson,
  ListUsersResponseJson,
  UpdateUserResponseJson,
  UserJson,
} from '@nightbell/proto';
import { hashKey, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '~/lib/api';
import { ifMatch, type Version } from '~/lib/edits';
import { callPages } from '~/lib/pages';
import { freshFor } from '~/lib/query-client';
import { incidentKeys, memberKeys, scheduleKeys, teamKeys } from './keys';
import { askAgain } from './renewal';

/** Everybody with role, teams, who is on call, how they are reached and when they were here last. */
export const userList = queryOptions({
  queryKey: memberKeys.details,
  staleTime: freshFor.list,
  refetchInterval: freshFor.list,
  queryFn: async ({ signal }): Promise<UserJson[]> => {
    const pages = await callPages<ListUsersResponseJson>({
      method: 'GET',
      path: '/v1/users?include=details',
      action: 'fetch users',
      signal,
    });
    return pages.flatMap((page) => page.users ?? []);
  },
});

/** The reader's own profile, with what only they may see. */
export const profile = (id: string) =>
  queryOptions({
    queryKey: memberKeys.one(id),
    staleTime: freshFor.list,
    queryFn: async ({ signal }): Promise<UserJson> => {
      const answer = await call<GetUserResponseJson>({
        method: 'GET',
        path: `/v1/users/${encodeURIComponent(id)}`,
        action: 'fetch your profile',
        signal,
      });
      return answer.user ?? {};
    },
  });

/** What names a person: who is to be replaced when they leave. */
export const userDuties = (id: string) =>
  queryOptions({
    queryKey: memberKeys.duties(id),
    staleTime: 0,
    queryFn: ({ signal }) =>
      call<GetUserDutiesResponseJson>({
        method: 'GET',
        path: `/v1/users/${encodeURIComponent(id)}/duties`,
        action: 'fetch what names this person',
        signal,
      }),
  });

/** What of a person can be changed. */
export interface UserChange {
  name?: string;
  role?: string;
  timezone?: string;
  phone?: string;
}

/** Changes a role, or the profile of the signed-in person. */
export function useUpdateUser() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, etag, ...body }: Version & UserChange) =>
      call<UpdateUserResponseJson>({
        method: 'PATCH',
        path: `/v1/users/${encodeURIComponent(id)}`,
        body,
        headers: ifMatch(etag),
        action: 'save',
        keepSession: true,
      }),
    onSuccess: ({ user: saved }, { id }) =>
      // Only where it is shown; the refetch may take long, or fail.
      void client.setQueryData(profile(id).queryKey, (shown) => shown && saved),
    onSettled: () => askAgain(client, [memberKeys.all]),
  });
}

/** Takes somebody out of the organization; `replaceBy` takes their place wherever they are named. */
export function useRemoveUser() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, replaceBy }: { id: string; replaceBy?: string }) =>
      call<object>({
        method: 'DELETE',
        path: `/v1/users/${encodeURIComponent(id)}${replaceBy ? `?replace_by=${encodeURIComponent(replaceBy)}` : ''}`,
        action: 'remove this person',
        keepSession: true,
      }),
    onSuccess: (_, { id }) => {
      // What named this person is still on screen while the dialog closes: asked again, it would not be found.
      const gone = hashKey(memberKeys.duties(id));
      for (const queryKey of [memberKeys.all, teamKeys.all, scheduleKeys.all, incidentKeys.all])
        void client.invalidateQueries({
          queryKey,
          predicate: ({ queryHash }) => queryHash !== gone,
        });
    },
  });
}
