import type { CreateTeamResponseJson, ListTeamsResponseJson, TeamJson } from '@nightbell/proto';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '~/lib/api';
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
    const answer = await call<ListTeamsResponseJson>({
      method: 'GET',
      path: '/v1/teams',
      action: 'fetch teams',
      signal,
    });
    return (answer.teams ?? []).map(toTeam).toSorted((a, b) => a.name.localeCompare(b.name));
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
        headers: etag ? { 'If-Match': `"${etag}"` } : undefined,
        action: 'save team',
        keepSession: true,
      }),
    onSuccess: () => renew(client),
  });
}

/** Deletes a team. The server refuses while a policy pages it; its sentence says which. */
export function useDeleteTeam() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      call<object>({
        method: 'DELETE',
        path: `/v1/teams/${encodeURIComponent(id)}`,
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
