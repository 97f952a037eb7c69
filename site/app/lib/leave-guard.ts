import { useEffect, useRef } from 'react';
import type { BlockerFunction } from 'react-router';

// The unsaved changes on screen: a few forms and dialogs at most.
const held = new Set<{ current: boolean }>();

/**
 * Holds the reader back while `dirty`: the browser asks when the tab is closed, and the workspace before
 * another page. Returns the way to give these changes up.
 */
export function useLeaveGuard(dirty: boolean): () => void {
  const holds = useRef(dirty);
  holds.current = dirty;
  useEffect(() => {
    held.add(holds);
    const ask = (event: BeforeUnloadEvent) => holds.current && event.preventDefault();
    if (dirty) window.addEventListener('beforeunload', ask);
    return () => {
      held.delete(holds);
      window.removeEventListener('beforeunload', ask);
    };
  }, [dirty]);
  return () => {
    holds.current = false;
  };
}

/** Whether there are changes on screen that are not stored. */
export function holdsBack(): boolean {
  return [...held].some((holds) => holds.current);
}

/** Whether a link may not be followed before the reader was asked. */
export const holdsBackFrom: BlockerFunction = ({ currentLocation, nextLocation }) =>
  currentLocation.pathname !== nextLocation.pathname && holdsBack();

/** Gives up all changes on screen, because what they belong to is deleted or left, for whatever follows at once. */
export function letGo(): void {
  for (const holds of held) holds.current = false;
}
