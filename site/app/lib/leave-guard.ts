import { useEffect, useRef } from 'react';
import { type Blocker, useBlocker } from 'react-router';

// The unsaved changes on screen: at most one page, so at most a few editors.
const held = new Set<{ current: boolean }>();

/**
 * Holds the reader back while `dirty`: the browser asks when the tab is closed, and the blocker that is
 * returned is `blocked` when a link leads to another page, until it is reset or proceeds.
 */
export function useLeaveGuard(dirty: boolean): Blocker {
  const holds = useRef(dirty);
  useEffect(() => {
    holds.current = dirty;
    held.add(holds);
    const ask = (event: BeforeUnloadEvent) => holds.current && event.preventDefault();
    if (dirty) window.addEventListener('beforeunload', ask);
    return () => {
      held.delete(holds);
      window.removeEventListener('beforeunload', ask);
    };
  }, [dirty]);
  return useBlocker(
    ({ currentLocation, nextLocation }) =>
      holds.current && currentLocation.pathname !== nextLocation.pathname,
  );
}

/** Whether there are changes on screen that are not stored. */
export function holdsBack(): boolean {
  return [...held].some((holds) => holds.current);
}

/** Gives up the changes on screen: they are stored, or what they belong to is deleted. */
export function letGo(): void {
  for (const holds of held) holds.current = false;
}
