import type {
  CreateScheduleRequestJson,
  CreateScheduleResponseJson,
  GetScheduleResponseJson,
  GetScheduleTimelineResponseJson,
  ListCoverageProblemsResponseJson,
  ListOnCallResponseJson,
  ListSchedulesResponseJson,
  PreviewScheduleRequestJson,
  PreviewScheduleResponseJson,
  ScheduleJson,
} from '@nightbell/proto';
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '~/lib/api';
import { ifMatch, type Version } from '~/lib/edits';
import { callPages } from '~/lib/pages';
import { freshFor } from '~/lib/query-client';
import { toIso } from '~/lib/time/instant';
import { previewKey, scheduleKeys } from './keys';
import { renew } from './renewal';

const minute = 60_000;
const addressOf = (id: string) => `/v1/schedules/${encodeURIComponent(id)}`;

/** Every schedule, with who is on call now; asked again every minute, so that a handover shows. */
export const scheduleList = queryOptions({
  queryKey: scheduleKeys.list,
  staleTime: freshFor.list,
  refetchInterval: minute,
  queryFn: async ({ signal }): Promise<ScheduleJson[]> => {
    const pages = await callPages<ListSchedulesResponseJson>({
      method: 'GET',
      path: '/v1/schedules',
      action: 'fetch schedules',
      signal,
    });
    return pages.flatMap((page) => page.schedules ?? []);
  },
});

/** One schedule. It is edited from this, so it is always asked for again. */
export const scheduleById = (id: string) =>
  queryOptions({
    queryKey: scheduleKeys.one(id),
    staleTime: 0,
    queryFn: async ({ signal }): Promise<ScheduleJson> => {
      const answer = await call<GetScheduleResponseJson>({
        method: 'GET',
        path: addressOf(id),
        action: 'fetch schedule',
        signal,
      });
      return answer.schedule ?? {};
    },
  });

/** Who is on call now for each active schedule. Asked again every minute. */
export const onCallNow = queryOptions({
  queryKey: scheduleKeys.onCall,
  staleTime: freshFor.list,
  refetchInterval: minute,
  queryFn: async ({ signal }) => {
    const pages = await callPages<ListOnCallResponseJson>({
      method: 'GET',
      path: '/v1/on-call',
      action: 'fetch who is on call',
      signal,
    });
    return pages.flatMap((page) => page.on_call ?? []);
  },
});

/** The picture of a schedule between two instants, in milliseconds. */
export const scheduleTimeline = (id: string, { from, to }: { from: number; to: number }) =>
  queryOptions({
    queryKey: scheduleKeys.timeline(id, from, to),
    staleTime: freshFor.list,
    queryFn: ({ signal }) =>
      call<GetScheduleTimelineResponseJson>({
        method: 'GET',
        path: `${addressOf(id)}/timeline?${new URLSearchParams({
          from: toIso(from),
          to: toIso(to),
        })}`,
        action: 'fetch timeline',
        signal,
      }),
  });

/** What a schedule that is not saved would be, and its gaps. The last picture stays until the next is there. */
export const schedulePreview = (body: PreviewScheduleRequestJson) =>
  queryOptions({
    queryKey: previewKey(JSON.stringify(body)),
    staleTime: freshFor.detail,
    placeholderData: keepPreviousData,
    retry: false,
    queryFn: ({ signal }) =>
      call<PreviewScheduleResponseJson>({
        method: 'POST',
        path: '/v1/schedules/preview',
        body,
        action: 'draw the preview',
        reads: true,
        signal,
      }),
  });

/** Gaps and conflicts of the next 30 days over all schedules, or of one alone; asked again every minute. */
export const coverageProblems = (scheduleId?: string) =>
  queryOptions({
    queryKey: scheduleKeys.problems(scheduleId),
    staleTime: freshFor.list,
    refetchInterval: minute,
    queryFn: ({ signal }) =>
      call<ListCoverageProblemsResponseJson>({
        method: 'GET',
        path: `/v1/on-call/problems${scheduleId ? `?${new URLSearchParams({ schedule_id: scheduleId })}` : ''}`,
        action: 'fetch coverage',
        signal,
      }),
  });

/** The mutation behind Save: it makes the schedule, or changes it when there is an id. Fails with ApiError. */
export function useSaveSchedule() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ id, etag, ...body }: Version & CreateScheduleRequestJson) => {
      const answer = await call<CreateScheduleResponseJson>({
        method: id ? 'PATCH' : 'POST',
        path: id ? addressOf(id) : '/v1/schedules',
        body,
        headers: ifMatch(etag),
        action: id ? 'save schedule' : 'create schedule',
        keepSession: true,
      });
      return answer.schedule ?? {};
    },
    onSuccess: () => renew(client, 'schedule'),
  });
}

/** The mutation behind Delete, of a schedule as it was read. Refused with a sentence while an escalation policy pages the schedule. */
export function useDeleteSchedule(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ etag }: Version) =>
      call<object>({
        method: 'DELETE',
        path: addressOf(id),
        headers: ifMatch(etag),
        action: 'delete schedule',
        keepSession: true,
      }),
    onSuccess: () => {
      client.removeQueries({ queryKey: scheduleKeys.one(id) });
      return renew(client, 'schedule', 'none');
    },
  });
}
