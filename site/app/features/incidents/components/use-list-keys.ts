import type { RefObject } from 'react';
import { useKeys } from '~/lib/keys';
import type { Incident } from '../model/incident';

interface ListKeys {
  incidents: readonly Incident[];
  cursor: string | null;
  search: RefObject<HTMLInputElement | null>;
  /** Selecting and acknowledging are a responder's. */
  may: boolean;
  onMove: (id: string) => void;
  onToggle: (id: string) => void;
  onAcknowledge: (id: string) => void;
  onClear: () => void;
}

/** The keys of the list. Enter opens without one, because the title of the row is focused. */
export function useListKeys({
  incidents,
  cursor,
  search,
  may,
  onMove,
  onToggle,
  onAcknowledge,
  onClear,
}: ListKeys): void {
  const move = (step: 1 | -1) => {
    const next = neighbour(incidents, cursor, step);
    if (next) onMove(next);
    return next !== null;
  };
  const onRow = (act: (id: string) => void) => () => (cursor ? act(cursor) : false);
  const section = 'In a list';
  const acting = [
    { keys: 'x', word: 'Select', section, run: onRow(onToggle) },
    { keys: 'a', word: 'Acknowledge', section, run: onRow(onAcknowledge) },
    { keys: 'Escape', word: 'Clear the selection', section, run: onClear },
  ] as const;
  useKeys([
    { keys: 'j', word: 'Next row', section, held: true, run: () => move(1) },
    { keys: 'k', word: 'Row before', section, held: true, run: () => move(-1) },
    { keys: '/', word: 'Search this list', section, run: () => search.current?.focus() },
    ...(may ? acting : []),
  ]);
}

/** The row before or after the cursor, the first row when there is no cursor, null at the ends. */
export function neighbour(
  incidents: readonly Incident[],
  cursor: string | null,
  step: 1 | -1,
): string | null {
  const at = incidents.findIndex((incident) => incident.id === cursor);
  return incidents[at < 0 ? 0 : at + step]?.id ?? null;
}
