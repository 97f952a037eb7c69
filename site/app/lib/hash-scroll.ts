import { useEffect, useRef } from 'react';
import { useLocation } from 'react-router';
import { followHash } from './section';

/** Scrolls smoothly to the section the address names, 100 ms after the page or the hash changed. */
export function useHashScroll(): void {
  const location = useLocation();
  // Before React came, the page has followed the address it was opened with (features/landing/front.ts).
  const followed = useRef(typeof document !== 'undefined' && 'front' in document.documentElement.dataset);
  useEffect(() => {
    if (!followed.current) return followHash(location.hash);
    followed.current = false;
    delete document.documentElement.dataset.front;
  }, [location]);
}
