import type { ListTeamsResponseJson, TeamJson } from '@nightbell/proto';
import { queryOptions } from '@tanstack/react-query';
import { call } from '~/lib/api';
import { freshFor } from '~/lib/query-client';

/** The organization's teams, of which a schedule can be one's. */
export const teamChoices = queryOptions({
  queryKey: ['teams', 'choices'],
  staleTime: freshFor.list,
  queryFn: async ({ signal }): Promise<TeamJson[]> => {
    const answer = await call<ListTeamsResponseJson>({
      method: 'GET',
      path: '/v1/teams',
      action: 'fetch teams',
      signal,
    });
    return answer.teams ?? [];
  },
});
