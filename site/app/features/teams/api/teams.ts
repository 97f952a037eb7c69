import type { CreateTeamResponseJson, ListTeamsResponseJson, TeamJson } from '@nightbell/proto';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '~/lib/api';
import { ifMatch } from '~/lib/edits';
import { callPages } from '~/lib/pages';
import { freshFor } from '~/lib/query-client';

/** A group of people that a policy can page and a schedule can belong to. */
export interface Team {
  /** Empty for a new one. */
  id: string;
  name: string;
  description: string;
  memberIds: readonly string[];
  /** The version that it was read in. */
  etag?: string;
}

/** The organization's teams by name. */
export const teamList = queryOptions({
  queryKey: ['teams', 'list'],
  staleTime: freshFor.list,
  queryFn: async ({ signal }): Promise<Team[]> => {
    const pages = await callPages<ListTeamsResponseJson>({
      method: 'GET',
      path: '/v1/teams',
      action: 'fetch teams',
      signal,
    });
    return pages
      .flatMap((page) => page.teams ?? [])
      .map(toTeam)
      .toSorted((a, b) => a.name.localeCompare(b.name));
  },
});

/** Stores a team, a new one when its id is empty. Fails with ApiError, which the dialog shows. */
export function useSaveTeam() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, name, description, memberIds, etag }: Team) =>
      call<CreateTeamResponseJson>({
        method: id ? 'PATCH' : 'POST',
        path: id ? `/v1/teams/${encodeURIComponent(id)}` : '/v1/teams',
        body: { name, description, user_ids: memberIds },
        headers: ifMatch(etag),
        action: 'save team',
        keepSession: true,
      }),
    onSuccess: () => renew(client),
  });
}

/** Deletes a team as it was read. The server refuses while a policy pages it; its sentence says which. */
export function useDeleteTeam() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, etag }: Team) =>
      call<object>({
        method: 'DELETE',
        path: `/v1/teams/${encodeURIComponent(id)}`,
        headers: ifMatch(etag),
        action: 'delete team',
        keepSession: true,
      }),
    onSuccess: () => renew(client),
  });
}

function toTeam({ id = '', name = '', description = '', user_ids = [], etag }: TeamJson): Team {
  return { id, name, description, memberIds: user_ids, etag };
}

// Policies, schedules and services show the names of teams.
function renew(client: ReturnType<typeof useQueryClient>): void {
  for (const key of ['teams', 'policies', 'oncall', 'services'])
    void client.invalidateQueries({ queryKey: [key] });
}
