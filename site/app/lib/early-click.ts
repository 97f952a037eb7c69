import { useEffect } from 'react';

declare global {
  interface Window {
    earlyClick?: { wish: string; stop: () => void };
  }
}

/**
 * Runs in <head>: until React has taken the page over, remembers the last click on something marked
 * with data-early. On a slow network that takes seconds, in which a button is there and does nothing.
 */
export const earlyClickScript = `(function(){var e=window.earlyClick={wish:"",stop:function(){removeEventListener("click",note,true)}};function note(event){var t=event.target.closest&&event.target.closest("[data-early]");if(t)e.wish=t.getAttribute("data-early")}addEventListener("click",note,true)})()`;

/** Grants what was clicked before the page could react, and ends the watch. */
export function useEarlyClick(grant: (wish: string) => void): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the page is taken over.
  useEffect(() => {
    const early = window.earlyClick;
    early?.stop();
    if (early?.wish) grant(early.wish);
    window.earlyClick = undefined;
  }, []);
}
