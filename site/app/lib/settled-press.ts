import { type MouseEvent, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';

export const moment = 700; // milliseconds: a second tap comes within it
const onItsWay = 300; // for a thumb; in a storm rows move twice a second, and must take a press in between

/**
 * For a place in which buttons follow one another, and `meaning` says what a press there does now; empty
 * while nothing stands there. `place` changes when it moves, for a whole list the ids in its order; empty
 * too it stands nowhere yet. What is mounted in a list that `stands` has moved there from nowhere. Wraps
 * what a press does.
 */
export function useSettledPress(
  meaning: string,
  place: string | number = 0,
  stands?: RefObject<boolean>,
): (act: () => void) => (event: MouseEvent) => void {
  const stood = useRef({ meaning, place });
  const unsettled = useRef(Number.NEGATIVE_INFINITY);
  const moved = useRef(Number.NEGATIVE_INFINITY);
  useLayoutEffect(() => {
    if (stands?.current) moved.current = new Event('').timeStamp;
  }, [stands]);
  useLayoutEffect(() => {
    const before = stood.current;
    const now = new Event('').timeStamp;
    if (before.meaning !== '' && before.meaning !== meaning) unsettled.current = now;
    if (before.place !== '' && before.place !== place) moved.current = now;
    stood.current = { meaning, place };
  }, [meaning, place]);
  return (act) => (event) => {
    // A second tap, or a thumb on its way, means the button that stood here before; each begins the moment
    // again, for whoever hammers. Nothing is disabled meanwhile: it would flicker and be read aloud.
    if (event.timeStamp - unsettled.current < moment) unsettled.current = event.timeStamp;
    // A key presses the button that has the focus, wherever that has moved.
    else if (event.detail === 0 || event.timeStamp - moved.current >= onItsWay) act();
  };
}

/** Whether a list has been on screen for a frame. A list that opens takes presses at once: nobody meant another row. */
export function useStands(): RefObject<boolean> {
  const stands = useRef(false);
  useEffect(() => {
    const frame = requestAnimationFrame(() => {
      stands.current = true;
    });
    return () => cancelAnimationFrame(frame);
  }, []);
  return stands;
}

/** How far down the page an element begins. What comes or goes above it, as bars and cards do, moves all that is in it. */
export function useTop(element: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    let known = Number.NEGATIVE_INFINITY;
    const look = (show: (set: () => void) => void) => {
      const now = Math.round((element.current?.getBoundingClientRect().top ?? 0) + window.scrollY);
      // Scrolled by part of a pixel it rounds to another one.
      if (Math.abs(now - known) <= 1) return;
      known = now;
      show(() => setTop(now));
    };
    look((set) => set());
    // Rendered later, a press that waits already would come before it.
    const atOnce = () => look(flushSync);
    const observer = new MutationObserver(atOnce);
    observer.observe(document.body, { childList: true, characterData: true, subtree: true });
    window.addEventListener('resize', atOnce);
    return () => {
      observer.disconnect();
      window.removeEventListener('resize', atOnce);
    };
  }, [element]);
  return top;
}
