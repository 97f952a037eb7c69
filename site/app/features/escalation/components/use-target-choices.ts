import { useQuery } from '@tanstack/react-query';
import type { Choice } from '~/components/ui/search-select';
import { contactMethods } from '~/data/contact-methods';
import { memberList } from '~/data/members';
import { scheduleList } from '~/data/schedules';
import { teamList } from '~/data/teams';
import { choiceOf } from '../model/choices';
import { targetsOf, toChannels } from '../model/targets';

const toSchedules = targetsOf('schedule');
const toTeams = targetsOf('team');

/** Everything a step can page. What could not be fetched is left out; `failed` says so. */
export function useTargetChoices(): { choices: readonly Choice[]; failed: string } {
  const people = useQuery(memberList);
  const others = [
    useQuery({ ...scheduleList, select: toSchedules }),
    useQuery({ ...teamList, select: toTeams }),
    useQuery({ ...contactMethods, select: toChannels }),
  ];
  const members = people.data?.map(
    ({ id, name, hue }): Choice => ({ ...choiceOf({ kind: 'user', id, name }), hue }),
  );
  const choices = others.flatMap(({ data }) => (data ?? []).map(choiceOf));
  const failed = [people, ...others].find((query) => query.isError && !query.data)?.error?.message ?? '';
  return { choices: [...choices, ...(members ?? [])], failed };
}
