import type { ExplainResponseJson } from '@nightbell/proto';
import { queryOptions } from '@tanstack/react-query';
import { call } from '~/lib/api';
import { freshFor } from '~/lib/query-client';
import { nextInLine } from '../model/next-in-line';
import type { Schedule } from '../model/schedule';
import { oncallKeys } from './keys';

// Shifts end, and others change policies.
const minute = 60_000;

/**
 * Who is next in line for a schedule with a policy at an instant, null for now: the server's own
 * answer, by the rules that page, for a critical incident that opens then.
 */
export const nextInLineOf = ({ id, policyId }: Pick<Schedule, 'id' | 'policyId'>, at: number | null) =>
  queryOptions({
    queryKey: oncallKeys.next(policyId, at),
    staleTime: freshFor.list,
    refetchInterval: minute,
    queryFn: ({ signal }) => {
      const asked = new URLSearchParams({ escalation_policy_id: policyId, severity: 'critical' });
      if (at !== null) asked.set('at', new Date(at).toISOString());
      return call<ExplainResponseJson>({
        method: 'GET',
        path: `/v1/explain?${asked}`,
        action: 'explain who is next in line',
        signal,
      });
    },
    select: (answer) => nextInLine(answer, id),
  });
