import type { ListTimelineResponseJson, TimelineEntryJson } from '@nightbell/proto';
import { queryOptions } from '@tanstack/react-query';
import { call } from '~/lib/api';
import { freshFor } from '~/lib/query-client';
import { incidentKeys } from './keys';

/** The incident's history, newest first. */
export function incidentTimeline(id: string) {
  return queryOptions({
    queryKey: incidentKeys.timeline(id),
    staleTime: freshFor.detail,
    queryFn: async ({ signal }): Promise<TimelineEntryJson[]> => {
      const path = `/v1/incidents/${encodeURIComponent(id)}/timeline`;
      const answer = await call<ListTimelineResponseJson>({
        method: 'GET',
        path,
        action: 'fetch timeline',
        signal,
      });
      return (answer.entries ?? []).toReversed();
    },
  });
}
