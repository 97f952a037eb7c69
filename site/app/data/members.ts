import type { ListUsersResponseJson, UserJson } from '@nightbell/proto';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { callPages } from '~/lib/pages';
import { freshFor } from '~/lib/query-client';
import { memberKeys } from './keys';

/** A colleague; `hue` is the place in order of joining, which gives the avatar its colour. */
export interface Member {
  id: string;
  name: string;
  hue: number;
}

/** The organization's people in order of joining. */
export const memberList = queryOptions({
  queryKey: memberKeys.all,
  staleTime: freshFor.detail,
  queryFn: async ({ signal }): Promise<UserJson[]> => {
    const pages = await callPages<ListUsersResponseJson>({
      method: 'GET',
      path: '/v1/users',
      action: 'fetch users',
      signal,
    });
    return pages.flatMap((page) => page.users ?? []);
  },
  select: toMembers,
});

function toMembers(users: readonly UserJson[]): Member[] {
  return users
    .toSorted((a, b) => (a.joined_at ?? '').localeCompare(b.joined_at ?? ''))
    .map(({ id = '', name = '' }, i) => ({ id, name, hue: i + 1 }));
}

/** Gives the avatar colour of a person, or undefined while the members are not loaded. */
export function useHues(): (personId: string | undefined) => number | undefined {
  const { data } = useQuery(memberList);
  return useCallback((personId) => data?.find((member) => member.id === personId)?.hue, [data]);
}
