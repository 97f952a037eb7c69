import type {
  CreateScheduleRequestJson,
  CreateScheduleResponseJson,
  GetScheduleResponseJson,
  ListSchedulesResponseJson,
} from '@nightbell/proto';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '~/lib/api';
import { ifMatch } from '~/lib/edits';
import { callPages } from '~/lib/pages';
import { freshFor } from '~/lib/query-client';
import { type Draft, rotationsOf } from '../model/draft';
import { type Schedule, toSchedule } from '../model/schedule';
import { oncallKeys } from './keys';

const minute = 60_000;

/** Every schedule by name, with who is on call now; asked again every minute, so that a handover shows. */
export const scheduleList = queryOptions({
  queryKey: oncallKeys.schedules,
  staleTime: freshFor.list,
  refetchInterval: minute,
  queryFn: async ({ signal }): Promise<Schedule[]> => {
    const pages = await callPages<ListSchedulesResponseJson>({
      method: 'GET',
      path: '/v1/schedules',
      action: 'fetch schedules',
      signal,
    });
    return pages.flatMap((page) => page.schedules ?? []).map(toSchedule);
  },
});

/** One schedule. It is edited from this, so it is always asked for anew. */
export const scheduleById = (id: string) =>
  queryOptions({
    queryKey: oncallKeys.schedule(id),
    staleTime: 0,
    queryFn: async ({ signal }): Promise<Schedule> => {
      const answer = await call<GetScheduleResponseJson>({
        method: 'GET',
        path: `/v1/schedules/${encodeURIComponent(id)}`,
        action: 'fetch schedule',
        signal,
      });
      return toSchedule(answer.schedule ?? {});
    },
  });

/** The mutation behind Save: it makes the schedule, or changes it when there is an id. Fails with ApiError. */
export function useSaveSchedule(id: string | null) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ draft, etag }: { draft: Draft; etag?: string }): Promise<Schedule> => {
      const answer = await call<CreateScheduleResponseJson>({
        method: id === null ? 'POST' : 'PATCH',
        path: id === null ? '/v1/schedules' : `/v1/schedules/${encodeURIComponent(id)}`,
        body: bodyOf(draft),
        headers: ifMatch(etag),
        action: id === null ? 'create schedule' : 'save schedule',
        keepSession: true,
      });
      return toSchedule(answer.schedule ?? {});
    },
    onSuccess: () => client.invalidateQueries({ queryKey: oncallKeys.all }),
  });
}

/** The mutation behind Delete, of a schedule as it was read. Refused with a sentence while an escalation policy pages the schedule. */
export function useDeleteSchedule(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ etag }: Schedule) =>
      call<object>({
        method: 'DELETE',
        path: `/v1/schedules/${encodeURIComponent(id)}`,
        headers: ifMatch(etag),
        action: 'delete schedule',
        keepSession: true,
      }),
    onSuccess: () => {
      client.removeQueries({ queryKey: oncallKeys.schedule(id) });
      return client.invalidateQueries({ queryKey: oncallKeys.all, refetchType: 'none' });
    },
  });
}

function bodyOf(draft: Draft): CreateScheduleRequestJson {
  return {
    name: draft.name.trim(),
    description: draft.description.trim(),
    timezone: draft.zone,
    status: draft.active ? 'active' : 'inactive',
    team_id: draft.teamId,
    escalation_policy_id: draft.policyId,
    rotations: rotationsOf(draft),
  };
}
