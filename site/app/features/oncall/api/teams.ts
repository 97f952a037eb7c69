import type { ListTeamsResponseJson, TeamJson } from '@nightbell/proto';
import { queryOptions } from '@tanstack/react-query';
import { callPages } from '~/lib/pages';
import { freshFor } from '~/lib/query-client';

/** The organization's teams, of which a schedule can be one's. */
export const teamChoices = queryOptions({
  queryKey: ['teams', 'choices'],
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
