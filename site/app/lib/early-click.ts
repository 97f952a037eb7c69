import { useEffect } from 'react';

declare global {
  interface Window {
    /** What was pressed; null once React has taken the page over. */
    earlyClick?: string | null;
    /** The form that was sent. */
    earlySent?: string;
  }
}

/** What is pressed on a page that React has not taken over: the wish it stands for. */
const wishMark = 'data-early';
/** The same for a form, which is sent. */
const sentMark = 'data-early-sent';

/**
 * Runs in <head>: until React has taken the page over, remembers the last press of something marked
 * with data-early, and the last form with data-early-sent. A public page sends React when it is asked for: where
 * the script that would (features/landing/front.ts) cannot be loaded, it is sent at once.
 */
export const earlyClickScript = `(function(){function on(type,find,keep){addEventListener(type,function(e){var part=e.target.closest&&e.target.closest(find);if(!part||earlyClick===null)return;e.preventDefault();keep(part.dataset)},true)}on("click","[${wishMark}]",function(d){earlyClick=d.early});on("submit","[${sentMark}]",function(d){earlySent=d.earlySent});addEventListener("error",function(e){var s=document.querySelector("script[type=asleep]"),n=document.createElement("script");if(!s||!/\\/front-/.test(e.target.src))return;n.type="module";n.textContent=s.textContent;document.head.append(n)},true)})();var earlyClick,earlySent`;

/** Grants what was pressed before the page could react, and ends the watch. */
export function useEarlyClick(grant: (wish: string) => void): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the page is taken over.
  useEffect(() => {
    const wishes = [window.earlySent, window.earlyClick];
    window.earlyClick = null;
    for (const wish of wishes) if (wish) grant(wish);
    for (const pressed of document.querySelectorAll(`[${wishMark}], [${sentMark}]`))
      pressed.removeAttribute('aria-busy');
    document.querySelector('[data-notice] > p')?.replaceChildren();
  }, []);
}
