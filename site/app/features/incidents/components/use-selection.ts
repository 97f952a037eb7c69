import { useCallback, useMemo, useState } from 'react';
import type { Incident } from '../model/incident';

/** Which of the shown incidents are selected. What a filter hides is not selected any more. */
export function useSelection(shown: readonly Incident[]) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const incidents = useMemo(() => shown.filter((incident) => chosen.has(incident.id)), [shown, chosen]);
  const ids = useMemo(() => new Set(incidents.map((incident) => incident.id)), [incidents]);
  // Stable, so that a row is drawn again only when something about it changed.
  const set = useCallback(
    (id: string, selected: boolean) => setChosen((old) => withId(old, id, selected)),
    [],
  );
  const setAll = useCallback(
    (selected: boolean) => setChosen(new Set(selected ? shown.map((incident) => incident.id) : [])),
    [shown],
  );
  return {
    incidents,
    ids,
    set,
    toggle: (id: string) => set(id, !ids.has(id)),
    setAll,
    drop: (changed: readonly string[]) =>
      setChosen((old) => new Set([...old].filter((id) => !changed.includes(id)))),
    clear: () => setChosen(new Set()),
  };
}

function withId(ids: ReadonlySet<string>, id: string, present: boolean): ReadonlySet<string> {
  const next = new Set(ids);
  if (present) next.add(id);
  else next.delete(id);
  return next;
}
