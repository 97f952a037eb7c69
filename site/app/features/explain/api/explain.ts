import type { ExplainResponseJson, ListServicesResponseJson } from '@nightbell/proto';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Option } from '~/components/ui/field';
import { call } from '~/lib/api';
import { callPages } from '~/lib/pages';
import { freshFor } from '~/lib/query-client';
import { type Answer, toAnswer } from '../model/answer';
import type { Question } from '../model/question';

/** Who would be paged. Never taken from the cache alone, because a shift may have changed; old answers stay until the new one is there. */
export function explanation({ service, severity, at }: Question) {
  return queryOptions({
    queryKey: ['explain', service, severity, at],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }): Promise<Answer> => {
      const asked = { service_id: service, severity, at };
      const query = new URLSearchParams(Object.entries(asked).filter(([, value]) => value !== ''));
      const answer = await call<ExplainResponseJson>({
        method: 'GET',
        path: `/v1/explain?${query}`,
        action: 'explain who is paged',
        messages: { 404: 'Service not found' },
        signal,
      });
      return toAnswer(answer);
    },
  });
}

/** The services one can ask about. */
export const askableServices = queryOptions({
  queryKey: ['services', 'askable'],
  staleTime: freshFor.list,
  queryFn: async ({ signal }): Promise<Option[]> => {
    const pages = await callPages<ListServicesResponseJson>({
      method: 'GET',
      path: '/v1/services',
      action: 'fetch services',
      signal,
    });
    return pages
      .flatMap((page) => page.services ?? [])
      .map(({ id = '', name = '' }) => ({ value: id, word: name }));
  },
});
