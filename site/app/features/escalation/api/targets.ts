import type {
  ListContactMethodsResponseJson,
  ListOnCallResponseJson,
  ListSchedulesResponseJson,
  ListTeamsResponseJson,
} from '@nightbell/proto';
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { Choice } from '~/components/ui/search-select';
import { call } from '~/lib/api';
import { memberList } from '~/lib/members';
import { freshFor } from '~/lib/query-client';
import { choiceOf } from '../model/choices';
import type { Target } from '../model/policy';

const schedules = queryOptions({
  queryKey: ['oncall', 'targets'],
  staleTime: freshFor.list,
  queryFn: async ({ signal }): Promise<Target[]> => {
    const answer = await call<ListSchedulesResponseJson>({
      method: 'GET',
      path: '/v1/schedules',
      action: 'fetch schedules',
      signal,
    });
    return (answer.schedules ?? []).map(({ id = '', name = '' }) => ({ kind: 'schedule', id, name }));
  },
});

const teams = queryOptions({
  queryKey: ['teams', 'targets'],
  staleTime: freshFor.list,
  queryFn: async ({ signal }): Promise<Target[]> => {
    const answer = await call<ListTeamsResponseJson>({
      method: 'GET',
      path: '/v1/teams',
      action: 'fetch teams',
      signal,
    });
    return (answer.teams ?? []).map(({ id = '', name = '' }) => ({ kind: 'team', id, name }));
  },
});

const channels = queryOptions({
  queryKey: ['contact-methods', 'targets'],
  staleTime: freshFor.list,
  queryFn: async ({ signal }): Promise<Target[]> => {
    const answer = await call<ListContactMethodsResponseJson>({
      method: 'GET',
      path: '/v1/contact-methods',
      action: 'fetch channels',
      signal,
    });
    return (answer.contact_methods ?? [])
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
    const answer = await call<ListOnCallResponseJson>({
      method: 'GET',
      path: '/v1/on-call',
      action: 'fetch who is on call',
      signal,
    });
    const entries = (answer.on_call ?? []).map(
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
