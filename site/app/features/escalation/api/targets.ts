import type {
  ListContactMethodsResponseJson,
  ListOnCallResponseJson,
  ListSchedulesResponseJson,
  ListTeamsResponseJson,
} from '@nightbell/proto';
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { Choice } from '~/components/ui/search-select';
import { memberList } from '~/lib/members';
import { callPages } from '~/lib/pages';
import { freshFor } from '~/lib/query-client';
import { choiceOf } from '../model/choices';
import type { Target } from '../model/policy';

export const schedules = queryOptions({
  queryKey: ['oncall', 'targets'],
  staleTime: freshFor.list,
  queryFn: async ({ signal }): Promise<Target[]> => {
    const pages = await callPages<ListSchedulesResponseJson>({
      method: 'GET',
      path: '/v1/schedules',
      action: 'fetch schedules',
      signal,
    });
    return pages
      .flatMap((page) => page.schedules ?? [])
      .map(({ id = '', name = '' }) => ({ kind: 'schedule', id, name }));
  },
});

export const teams = queryOptions({
  queryKey: ['teams', 'targets'],
  staleTime: freshFor.list,
  queryFn: async ({ signal }): Promise<Target[]> => {
    const pages = await callPages<ListTeamsResponseJson>({
      method: 'GET',
      path: '/v1/teams',
      action: 'fetch teams',
      signal,
    });
    return pages
      .flatMap((page) => page.teams ?? [])
      .map(({ id = '', name = '' }) => ({ kind: 'team', id, name }));
  },
});

export const channels = queryOptions({
  queryKey: ['contact-methods', 'targets'],
  staleTime: freshFor.list,
  queryFn: async ({ signal }): Promise<Target[]> => {
    const pages = await callPages<ListContactMethodsResponseJson>({
      method: 'GET',
      path: '/v1/contact-methods',
      action: 'fetch channels',
      signal,
    });
    return pages
      .flatMap((page) => page.contact_methods ?? [])
      .filter((contact) => contact.shared)
      .map(({ id = '', name = '' }) => ({ kind: 'channel', id, name }));
  },
});

/** Who is on call now for each active schedule: names by schedule id. Nobody is an empty list. */
export const onCallNow = queryOptions({
  queryKey: ['oncall', 'names'],
  staleTime: freshFor.list,
  refetchInterval: freshFor.list,
  queryFn: async ({ signal }): Promise<ReadonlyMap<string, readonly string[]>> => {
    const pages = await callPages<ListOnCallResponseJson>({
      method: 'GET',
      path: '/v1/on-call',
      action: 'fetch who is on call',
      signal,
    });
    const entries = pages
      .flatMap((page) => page.on_call ?? [])
      .map(
        ({ schedule, current }) =>
          [schedule?.id ?? '', (current?.users ?? []).map((user) => user.name ?? '')] as const,
      );
    return new Map(entries);
  },
});

/** Everything a step can page. What could not be fetched is left out; `failed` says so. */
export function useTargetChoices(): { choices: readonly Choice[]; failed: string } {
  const people = useQuery(memberList);
  const others = [useQuery(schedules), useQuery(teams), useQuery(channels)];
  const members = people.data?.map(
    ({ id, name, hue }): Choice => ({ ...choiceOf({ kind: 'user', id, name }), hue }),
  );
  const choices = others.flatMap(({ data }) => (data ?? []).map(choiceOf));
  const failed = [people, ...others].find((query) => query.isError && !query.data)?.error?.message ?? '';
  return { choices: [...choices, ...(members ?? [])], failed };
}
