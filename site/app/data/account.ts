import type {
  AccountOrganizationJson,
  AccountSessionJson,
  ChangePasswordRequestJson,
  ChangePasswordResponseJson,
  EndOtherSessionsResponseJson,
  ListOrganizationsResponseJson,
  ListSessionsResponseJson,
} from '@nightbell/proto';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '~/lib/api';
import { callPages } from '~/lib/pages';
import { freshFor } from '~/lib/query-client';
import { accountKeys } from './keys';
import { askAgain } from './renewal';

/** Where the account is signed in, in whichever of its organizations. */
export const sessionList = queryOptions({
  queryKey: accountKeys.sessions,
  staleTime: 0,
  queryFn: async ({ signal }): Promise<AccountSessionJson[]> => {
    const pages = await callPages<ListSessionsResponseJson>({
      method: 'GET',
      path: '/v1/auth/sessions',
      action: 'fetch sessions',
      signal,
    });
    return pages.flatMap((page) => page.sessions ?? []);
  },
});

/** The organizations of the account, by name. */
export const organizationList = queryOptions({
  queryKey: accountKeys.organizations,
  staleTime: freshFor.detail,
  queryFn: async ({ signal }): Promise<AccountOrganizationJson[]> => {
    const pages = await callPages<ListOrganizationsResponseJson>({
      method: 'GET',
      path: '/v1/auth/organizations',
      action: 'fetch organizations',
      signal,
    });
    return pages.flatMap((page) => page.organizations ?? []);
  },
});

/** Signs out in one other place. */
export function useEndSession() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      call<object>({
        method: 'DELETE',
        path: `/v1/auth/sessions/${encodeURIComponent(id)}`,
        action: 'sign out there',
        keepSession: true,
      }),
    onSettled: () => askAgain(client, [accountKeys.sessions]),
  });
}

/** Signs out everywhere else. */
export function useEndOtherSessions() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () =>
      call<EndOtherSessionsResponseJson>({
        method: 'POST',
        path: '/v1/auth/sessions/end-others',
        body: {},
        action: 'sign out elsewhere',
        keepSession: true,
      }),
    onSettled: () => askAgain(client, [accountKeys.sessions]),
  });
}

/** Sets a new password, which signs out everywhere else. */
export function useChangePassword() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: ChangePasswordRequestJson) =>
      call<ChangePasswordResponseJson>({
        method: 'POST',
        path: '/v1/auth/password',
        body,
        action: 'change the password',
        keepSession: true,
      }),
    onSuccess: () => askAgain(client, [accountKeys.sessions]),
  });
}
