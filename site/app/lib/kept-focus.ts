import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';

let holding: object | null = null; // the place whose button was pressed by keys last
const release = () => {
  holding = null;
};

/**
 * For a place whose buttons are disabled while something is done and then give way to another one: who
 * pressed by keys goes on at the button that stands there then, or in the page where none is. A mouse
 * needs no such help, and what it pressed last must not answer to Enter as something else.
 */
export function useKeptFocus<T extends HTMLElement>(busy: boolean): RefObject<T | null> {
  const place = useRef<T>(null);
  useLayoutEffect(() => {
    const pressed = document.activeElement;
    // The browser takes the focus from a disabled button a moment later.
    if (!busy || !place.current?.contains(pressed) || !pressed?.matches(':focus-visible')) return;
    holding = place;
    document.addEventListener('pointerdown', release, { once: true, capture: true });
  }, [busy]);
  // After each drawing, because the button that comes next is drawn when its answer is there.
  useEffect(() => {
    if (holding === place && !busy) moveOn(place.current);
  });
  useEffect(
    () => () => {
      if (holding === place) moveOn(null);
    },
    [],
  );
  return place;
}

function moveOn(place: HTMLElement | null): void {
  const focused = document.activeElement;
  if (focused !== document.body && !focused?.matches(':disabled')) {
    if (!place?.contains(focused)) release();
    return;
  }
  const buttons = [...(place?.querySelectorAll<HTMLElement>('button:enabled') ?? [])];
  (buttons.at(-1) ?? document.querySelector<HTMLElement>('main'))?.focus({ preventScroll: true });
}
