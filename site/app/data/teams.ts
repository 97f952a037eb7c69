import type {
  CreateTeamRequestJson,
  CreateTeamResponseJson,
  ListTeamsResponseJson,
  TeamJson,
} from '@nightbell/proto';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '~/lib/api';
import { ifMatch, type Version } from '~/lib/edits';
import { callPages } from '~/lib/pages';
import { freshFor } from '~/lib/query-client';
import { teamKeys } from './keys';
import { renew } from './renewal';

/** Every team of the organization. */
export const teamList = queryOptions({
  queryKey: teamKeys.all,
  staleTime: freshFor.list,
  queryFn: async ({ signal }): Promise<TeamJson[]> => {
    const pages = await callPages<ListTeamsResponseJson>({
      method: 'GET',
      path: '/v1/teams',
      action: 'fetch teams',
      signal,
    });
    return pages.flatMap((page) => page.teams ?? []);
  },
});

/** Stores a team, a new one when its id is empty. Fails with ApiError, which the dialog shows. */
export function useSaveTeam() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, etag, ...body }: Version & CreateTeamRequestJson) =>
      call<CreateTeamResponseJson>({
        method: id ? 'PATCH' : 'POST',
        path: id ? `/v1/teams/${encodeURIComponent(id)}` : '/v1/teams',
        body,
        headers: ifMatch(etag),
        action: 'save team',
        keepSession: true,
      }),
    onSuccess: () => void renew(client, 'team'),
  });
}

/** Deletes a team as it was read. The server refuses while a policy pages it; its sentence says which. */
export function useDeleteTeam() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, etag }: Version) =>
      call<object>({
        method: 'DELETE',
        path: `/v1/teams/${encodeURIComponent(id)}`,
        headers: ifMatch(etag),
        action: 'delete team',
        keepSession: true,
      }),
    onSuccess: () => void renew(client, 'team'),
  });
}
