import { useEffect, useRef } from 'react';
import type { BlockerFunction } from 'react-router';

interface Holds {
  dirty: boolean;
  /** Whether all of it is on its way to be stored. */
  saving: boolean;
}

/** Who asks before changes are left. */
interface Asker {
  /** Where the reader goes as soon as nothing holds them back; null while they were not asked. */
  way: (() => void) | null;
  /** Hears whether all changes on screen are on their way to be stored. */
  tell: (saving: boolean) => void;
}

// The unsaved changes on screen: a few forms and dialogs at most.
const held = new Set<{ current: Holds }>();
let asker: Asker | null = null;

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
    asker?.tell([...held].every(({ current }) => current.saving || !current.dirty));
  });
  return () => {
    holds.current.dirty = false;
    if (!asker?.way || holdsBack()) return false;
    asker.way();
    return true;
  };
}

/** Whether there are changes on screen that are not stored. */
export function holdsBack(): boolean {
  return [...held].some((holds) => holds.current.dirty);
}

/** Says who asks from now on. */
export function setAsker(next: Asker): void {
  asker = next;
}

/** Whether a link may not be followed before the reader was asked. */
export const holdsBackFrom: BlockerFunction = ({ currentLocation, nextLocation }) =>
  currentLocation.pathname !== nextLocation.pathname && holdsBack();

/** Gives up all changes on screen, because what they belong to is deleted or left, for whatever follows at once. */
export function letGo(): void {
  for (const holds of held) holds.current.dirty = false;
}
