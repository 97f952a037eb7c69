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

/** Gaps and conflicts of the next 30 days over all schedules, soonest first. */
export const coverageProblems = queryOptions({
  queryKey: oncallKeys.problems,
  staleTime: freshFor.list,
  queryFn: async ({ signal }): Promise<Problem[]> => {
    const answer = await call<ListCoverageProblemsResponseJson>({
      method: 'GET',
      path: '/v1/on-call/problems',
      action: 'fetch coverage',
      signal,
    });
    return (answer.problems ?? []).map(toProblem);
  },
});
