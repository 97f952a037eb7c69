import { type RefObject, useEffect } from 'react';
import type { Incident } from '../model/incident';

interface ListKeys {
  incidents: readonly Incident[];
  cursor: string | null;
  search: RefObject<HTMLInputElement | null>;
  /** Single keys can be turned off, because speech input types them by accident. */
  enabled: boolean;
  onMove: (id: string) => void;
  onToggle: (id: string) => void;
  onAcknowledge: (id: string) => void;
  onClear: () => void;
}

/** j and k move, x selects, a acknowledges, / searches, Escape clears the selection. Enter opens, because the title is focused. */
export function useListKeys(keys: ListKeys): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!keys.enabled || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (handle(event.key, keys)) event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  });
}

function handle(key: string, keys: ListKeys): boolean {
  const { cursor } = keys;
  if (key === 'j' || key === 'k') {
    const next = neighbour(keys.incidents, cursor, key === 'j' ? 1 : -1);
    if (next) keys.onMove(next);
    return next !== null;
  }
  if (key === '/') keys.search.current?.focus();
  else if (key === 'Escape') keys.onClear();
  else if (key === 'x' && cursor) keys.onToggle(cursor);
  else if (key === 'a' && cursor) keys.onAcknowledge(cursor);
  else return false;
  return true;
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

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.closest('dialog[open]')) return true;
  return target.matches('textarea, select, [contenteditable], input:not([type="checkbox"])');
}
