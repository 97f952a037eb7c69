import type { ListTimelineResponseJson, TimelineEntryJson } from '@nightbell/proto';
import { queryOptions } from '@tanstack/react-query';
import { callPages } from '~/lib/pages';
import { freshFor } from '~/lib/query-client';
import { incidentKeys } from './keys';

/** The incident's history, newest first. */
export function incidentTimeline(id: string) {
  return queryOptions({
    queryKey: incidentKeys.timeline(id),
    staleTime: freshFor.detail,
    queryFn: async ({ signal }): Promise<TimelineEntryJson[]> => {
      const path = `/v1/incidents/${encodeURIComponent(id)}/timeline`;
      const pages = await callPages<ListTimelineResponseJson>({
        method: 'GET',
        path,
        action: 'fetch timeline',
        signal,
      });
      return pages.flatMap((page) => page.entries ?? []).toReversed();
    },
  });
}
