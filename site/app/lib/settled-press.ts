import { type MouseEvent, useLayoutEffect, useRef } from 'react';

const moment = 700;

/**
 * For a place in which buttons follow one another, and `meaning` says what a press there does now; empty
 * while nothing stands there. Wraps what a press does.
 */
export function useSettledPress(meaning: string): (act: () => void) => (event: MouseEvent) => void {
  const stood = useRef(meaning);
  const unsettled = useRef(Number.NEGATIVE_INFINITY);
  useLayoutEffect(() => {
    if (stood.current !== '' && stood.current !== meaning) unsettled.current = new Event('').timeStamp;
    stood.current = meaning;
  }, [meaning]);
  return (act) => (event) => {
    // A second tap, or a thumb on its way, means the button that stood here before; each begins the moment
    // anew, for whoever hammers. Nothing is disabled meanwhile: it would flicker and be read aloud.
    if (event.timeStamp - unsettled.current < moment) unsettled.current = event.timeStamp;
    else act();
  };
}
