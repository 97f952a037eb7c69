import { type RefObject, useEffect, useRef } from 'react';

/**
 * True once the component is gone. What a dialog began goes on when it is closed, and its banner is
 * closed with it: the outcome then has to be said elsewhere.
 */
export function useGone(): RefObject<boolean> {
  const gone = useRef(false);
  useEffect(() => {
    gone.current = false;
    return () => {
      gone.current = true;
    };
  }, []);
  return gone;
}
