import type { ListUsersResponseJson } from '@nightbell/proto';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { callPages } from '~/lib/pages';
import { freshFor } from '~/lib/query-client';

/** A colleague; `hue` is the place in order of joining, which gives the avatar its colour. */
export interface Member {
  id: string;
  name: string;
  hue: number;
}

/** The organization's people in order of joining. */
export const memberList = queryOptions({
  queryKey: ['members'],
  staleTime: freshFor.detail,
  queryFn: async ({ signal }): Promise<Member[]> => {
    const pages = await callPages<ListUsersResponseJson>({
      method: 'GET',
      path: '/v1/users',
      action: 'fetch users',
      signal,
    });
    const members = pages
      .flatMap((page) => page.users ?? [])
      .toSorted((a, b) => (a.joined_at ?? '').localeCompare(b.joined_at ?? ''));
    return members.map((member, i) => ({ id: member.id ?? '', name: member.name ?? '', hue: i + 1 }));
  },
});

/** Gives the avatar colour of a person, or undefined while the members are not loaded. */
export function useHues(): (personId: string | undefined) => number | undefined {
  const { data } = useQuery(memberList);
  return (personId) => data?.find((member) => member.id === personId)?.hue;
}
