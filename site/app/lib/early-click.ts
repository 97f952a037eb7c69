import { useEffect } from 'react';

declare global {
  interface Window {
    /** What was clicked; null once React has taken the page over. */
    earlyClick?: string | null;
  }
}

/**
 * Runs in <head>: until React has taken the page over, remembers the last click on something marked
 * with data-early. On a slow network that takes seconds, in which a button is there and does nothing.
 */
export const earlyClickScript = `addEventListener("click",function(e){e=e.target.closest("[data-early]");if(e&&earlyClick!==null)earlyClick=e.dataset.early},true);var earlyClick`;

/** Grants what was clicked before the page could react, and ends the watch. */
export function useEarlyClick(grant: (wish: string) => void): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the page is taken over.
  useEffect(() => {
    if (window.earlyClick) grant(window.earlyClick);
    window.earlyClick = null;
  }, []);
}
