import type {
  GetScheduleTimelineResponseJson,
  ListCoverageProblemsResponseJson,
  PreviewScheduleRequestJson,
  PreviewScheduleResponseJson,
} from '@nightbell/proto';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from '~/lib/api';
import { freshFor } from '~/lib/query-client';
import { askedRange, type Range } from '../model/range';
import { type Problem, type Timeline, toProblem, toTimeline } from '../model/schedule';
import { oncallKeys } from './keys';

/** The picture of a schedule. It reaches beyond the range, so that shifts across its edges are whole. */
export const scheduleTimeline = (id: string, range: Range) =>
  queryOptions({
    queryKey: oncallKeys.timeline(id, range.from, range.to),
    staleTime: freshFor.list,
    queryFn: async ({ signal }): Promise<Timeline> => {
      const { from, to } = askedRange(range);
      const answer = await call<GetScheduleTimelineResponseJson>({
        method: 'GET',
        path: `/v1/schedules/${encodeURIComponent(id)}/timeline?${new URLSearchParams({
          from: new Date(from).toISOString(),
          to: new Date(to).toISOString(),
        })}`,
        action: 'fetch timeline',
        signal,
      });
      return toTimeline(answer.timeline ?? {});
    },
  });

/** What a schedule that is not saved would be, and its gaps. The last picture stays until the next is there. */
export const schedulePreview = (body: PreviewScheduleRequestJson) =>
  queryOptions({
    queryKey: oncallKeys.preview(JSON.stringify(body)),
    staleTime: freshFor.detail,
    placeholderData: keepPreviousData,
    retry: false,
    queryFn: async ({ signal }): Promise<{ timeline: Timeline; problems: Problem[] }> => {
      const answer = await call<PreviewScheduleResponseJson>({
        method: 'POST',
        path: '/v1/schedules/preview',
        body,
        action: 'draw the preview',
        signal,
      });
      return {
        timeline: toTimeline(answer.timeline ?? {}),
        problems: (answer.problems ?? []).map(toProblem),
      };
    },
  });

/** What goes wrong in the next 30 days, gaps first. */
export interface Coverage {
  problems: readonly Problem[];
  /** There are more problems than the server gives at once. */
  truncated: boolean;
  /** A sentence when the server did not look at everything. */
  incomplete: string;
}

/** Gaps and conflicts over all schedules, or of one alone. */
export const coverageProblems = (scheduleId?: string) =>
  queryOptions({
    queryKey: oncallKeys.problems(scheduleId),
    staleTime: freshFor.list,
    queryFn: async ({ signal }): Promise<Coverage> => {
      const answer = await call<ListCoverageProblemsResponseJson>({
        method: 'GET',
        path: `/v1/on-call/problems${scheduleId ? `?${new URLSearchParams({ schedule_id: scheduleId })}` : ''}`,
        action: 'fetch coverage',
        signal,
      });
      return {
        problems: (answer.problems ?? []).map(toProblem),
        truncated: answer.truncated ?? false,
        incomplete: answer.incomplete ?? '',
      };
    },
  });
