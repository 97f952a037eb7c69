import type { ExplainResponseJson } from '@nightbell/proto';
import { queryOptions } from '@tanstack/react-query';
import { call } from '~/lib/api';
import { explainKeys } from './keys';

/** Who would be paged for what, and when: what is empty or absent is left to the server. */
export interface Asked {
  service_id?: string;
  escalation_policy_id?: string;
  severity: string;
  /** An RFC 3339 time; empty is now. */
  at: string;
}

/** Who would be paged, by the rules that page. Never taken from the cache alone, because a shift may have changed. */
export function explanation(asked: Asked, action = 'explain who is paged') {
  const query = new URLSearchParams(Object.entries(asked).filter(([, value]) => value !== ''));
  return queryOptions({
    queryKey: [...explainKeys.all, query.toString()],
    queryFn: ({ signal }) =>
      call<ExplainResponseJson>({
        method: 'GET',
        path: `/v1/explain?${query}`,
        action,
        messages: { 404: 'Service not found' },
        signal,
      }),
  });
}
