import type { ListIncidentsResponseJson } from '@nightbell/proto';
import { type InfiniteData, infiniteQueryOptions } from '@tanstack/react-query';
import { call } from '~/lib/api';
import { withCursor } from '~/lib/pages';
import { freshFor } from '~/lib/query-client';
import { type Incident, toIncident } from '../model/incident';
import { incidentKeys } from './keys';

/** How many incidents a page of the list has. */
export const atOnce = 1000;

/** Which incidents a list is of. */
export interface Wanted {
  status?: 'open' | 'triggered' | 'acknowledged' | 'resolved';
  serviceId?: string;
  /** Part of a title, a description or the name of a service. */
  text?: string;
}

/** A page of a list of incidents and where the next one begins. */
export interface IncidentPage {
  incidents: readonly Incident[];
  next?: string;
}

/** Incidents, the newest first, a thousand at once, fresh for a minute. Those of every status without a wish. */
export function incidentList({ status, serviceId, text }: Wanted = {}) {
  const asked = new URLSearchParams({ limit: String(atOnce), offset: '0' });
  if (status) asked.set('status', status);
  if (serviceId) asked.set('service_id', serviceId);
  if (text) asked.set('text', text);
  return infiniteQueryOptions({
    queryKey: [...incidentKeys.list, asked.toString()],
    staleTime: freshFor.list,
    initialPageParam: '',
    queryFn: async ({ signal, pageParam }): Promise<IncidentPage> => {
      const answer = await call<ListIncidentsResponseJson>({
        method: 'GET',
        path: withCursor(`/v1/incidents?${asked}`, pageParam),
        action: 'fetch incidents',
        signal,
      });
      return { incidents: (answer.incidents ?? []).map(toIncident), next: answer.next_cursor };
    },
    getNextPageParam: (page) => page.next,
    select: allRows,
  });
}

// A function of its own, so that it runs for new answers only, not whenever something is drawn.
function allRows({ pages }: InfiniteData<IncidentPage>): readonly Incident[] {
  return pages.flatMap((page) => page.incidents);
}
