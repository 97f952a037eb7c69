import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { incidentList, type Wanted } from '~/data/incidents';
import { type Filter, matching } from '../model/filter';
import { toRows } from '../model/incident';

const statuses = { all: undefined, open: 'triggered', closed: 'resolved' } as const;

/**
 * The incidents that pass a filter and contain a text. Those that are loaded are looked through while
 * somebody types. When the server has older ones, it is asked for all that match, once typing pauses:
 * `asked` is the text it is asked for. `source` is the list that goes on with its next page.
 */
export function useNarrowed(filter: Filter, text: string, asked: string) {
  const all = useInfiniteQuery({ ...incidentList(), select: toRows });
  const narrow = all.hasNextPage && (filter !== 'all' || text.trim() !== '');
  const wanted: Wanted = { status: statuses[filter], text: asked.trim() };
  const found = useInfiniteQuery({ ...incidentList(wanted), select: toRows, enabled: narrow });
  const answered = narrow && asked.trim() === text.trim() && !found.isPending;
  const shown = useMemo(
    () =>
      answered && found.data ? matching(found.data, filter, '') : matching(all.data ?? [], filter, text),
    [answered, found.data, all.data, filter, text],
  );
  return { shown, source: answered ? found : all, searching: narrow && !answered, narrow };
}
