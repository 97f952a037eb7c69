import { useEffect } from 'react';

declare global {
  interface Window {
    /** What was pressed; null once React has taken the page over. */
    earlyClick?: string | null;
  }
}

/** What is pressed on a page that React has not taken over: the wish it stands for. */
export const wishMark = 'data-early';
/** The same for a form, which is sent. */
export const sentMark = 'data-early-sent';

/**
 * Runs in <head>: until React has taken the page over, remembers the last press of something marked
 * with data-early, and the last form with data-early-sent. A public page sends React when it is asked for.
 */
export const earlyClickScript = `(function(on){on("click","[${wishMark}]");on("submit","[${sentMark}]")})(function(type,marked){addEventListener(type,function(e){var on=e.target.closest(marked);if(!on||earlyClick===null)return;e.preventDefault();earlyClick=on.dataset.early||on.dataset.earlySent},true)});var earlyClick`;

/** Grants what was pressed before the page could react, and ends the watch. */
export function useEarlyClick(grant: (wish: string) => void): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the page is taken over.
  useEffect(() => {
    if (window.earlyClick) grant(window.earlyClick);
    window.earlyClick = null;
    for (const pressed of document.querySelectorAll('[aria-busy][data-early]'))
      pressed.removeAttribute('aria-busy');
  }, []);
}
