import { useEffect, useRef } from 'react';
import type { BlockerFunction } from 'react-router';

interface Holds {
  dirty: boolean;
  /** Whether all of it is on its way to be stored. */
  saving: boolean;
}

// The unsaved changes on screen: a few forms and dialogs at most.
const held = new Set<{ current: Holds }>();
const listeners = new Set<() => void>();
let way: (() => void) | null = null;

/**
 * Holds the reader back while `dirty`: the browser asks when the tab is closed, and the workspace before
 * another page. Returns the way to give these changes up, which says whether the reader goes elsewhere by that.
 */
export function useLeaveGuard(dirty: boolean, saving = false): () => boolean {
  const holds = useRef<Holds>({ dirty, saving });
  holds.current = { dirty, saving };
  useEffect(() => {
    held.add(holds);
    const ask = (event: BeforeUnloadEvent) => holds.current.dirty && event.preventDefault();
    if (dirty) window.addEventListener('beforeunload', ask);
    return () => {
      held.delete(holds);
      window.removeEventListener('beforeunload', ask);
    };
  }, [dirty]);
  useEffect(() => {
    for (const notify of listeners) notify();
  });
  return () => {
    holds.current.dirty = false;
    if (!way || holdsBack()) return false;
    way();
    return true;
  };
}

/** Whether there are changes on screen that are not stored. */
export function holdsBack(): boolean {
  return [...held].some((holds) => holds.current.dirty);
}

/** Whether all changes on screen are on their way to be stored. */
export function isSaving(): boolean {
  return [...held].every(({ current }) => current.saving || !current.dirty);
}

/** Calls back when that may have changed. Returns the way to stop. */
export function subscribeSaving(notify: () => void): () => void {
  listeners.add(notify);
  return () => listeners.delete(notify);
}

/** Where the reader goes as soon as nothing holds them back; null while they were not asked. */
export function setWay(go: (() => void) | null): void {
  way = go;
}

/** Whether a link may not be followed before the reader was asked. */
export const holdsBackFrom: BlockerFunction = ({ currentLocation, nextLocation }) =>
  currentLocation.pathname !== nextLocation.pathname && holdsBack();

/** Gives up all changes on screen, because what they belong to is deleted or left, for whatever follows at once. */
export function letGo(): void {
  for (const holds of held) holds.current.dirty = false;
}
