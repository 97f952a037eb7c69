import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';

// The place whose button was pressed by keys last, and the button of it that is to have the focus.
let holding: { place: object; button: Element | null } | null = null;
const release = () => {
  holding = null;
};

/**
 * For a place whose buttons are disabled while something is done and then give way to another one: who
 * pressed by keys goes on at the same button where that failed, else at the one that stands there then, or in
 * the page where none is. A mouse needs no such help, and what it pressed last must not answer to Enter as
 * something else.
 */
export function useKeptFocus<T extends HTMLElement>(busy: boolean): RefObject<T | null> {
  const place = useRef<T>(null);
  useLayoutEffect(() => {
    const pressed = document.activeElement;
    // The browser takes the focus from a disabled button a moment later.
    if (!busy || !place.current?.contains(pressed) || !pressed?.matches(':focus-visible')) return;
    holding = { place, button: pressed };
    document.addEventListener('pointerdown', release, { once: true, capture: true });
  }, [busy]);
  // After each drawing, because the button that comes next is drawn when its answer is there.
  useEffect(() => {
    if (holding?.place === place && !busy) moveOn(place.current);
  });
  useEffect(
    () => () => {
      if (holding?.place === place) moveOn(null);
    },
    [],
  );
  return place;
}

function moveOn(place: HTMLElement | null): void {
  if (!holding) return;
  const focused = document.activeElement;
  const lost = focused === document.body || focused?.matches(':disabled');
  // A dialog has the focus itself, and who went on alone needs no help any more.
  if (document.querySelector('dialog[open]') || (!lost && focused !== holding.button)) {
    release();
    return;
  }
  if (!lost) return;
  const buttons = [...(place?.querySelectorAll<HTMLElement>('button:enabled') ?? [])];
  const next = buttons.find((button) => button === holding?.button) ?? buttons.at(-1);
  const main = document.querySelector<HTMLElement>('main');
  holding.button = next ?? main;
  (next ?? main)?.focus({ preventScroll: true });
}
