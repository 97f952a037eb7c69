import { useEffect } from 'react';
import { moment } from './settled-press';

const near = 30; // pixels: a thumb does not hit the same one twice
const pressable = 'label, a, button, input, select, textarea, summary, [role=option]';

interface Place {
  x: number;
  y: number;
}

/**
 * A second tap means what the first one pressed. Where something else came to its place meanwhile, a page that
 * opened or what a message covered, presses there say nothing until it has been there for a moment.
 */
export function useSecondTap(): void {
  useEffect(() => {
    let pressed: (Place & { control: Element | null }) | null = null;
    let changed = 0;
    // On a slow network it comes long after the press. Only the first is waited for: in a storm they never end.
    const observer = new MutationObserver(() => {
      const now = pressed && controlAt(pressed);
      if (!now || now === pressed?.control) return;
      changed = new Event('').timeStamp;
      observer.disconnect();
    });
    const meansBefore = (event: MouseEvent) => {
      const control = controlOf(event.target);
      if (!pressed || !control || control === pressed.control || event.timeStamp - changed >= moment)
        return false;
      const away = Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y);
      return away < near && controlAt(pressed) !== pressed.control;
    };
    const onDown = (event: PointerEvent) => {
      if (meansBefore(event)) event.stopPropagation();
      else {
        pressed = { x: event.clientX, y: event.clientY, control: controlOf(event.target) };
        observer.observe(document.body, { childList: true, subtree: true });
      }
      // Whoever hammers begins the moment again.
      changed = event.timeStamp;
    };
    // A key has clicked zero times, and presses what has the focus.
    const onClick = (event: MouseEvent) => {
      if (event.detail === 0 || !meansBefore(event)) return;
      event.preventDefault();
      event.stopPropagation();
    };
    // Whoever scrolls or presses a key brings something else there, and means that.
    const forget = () => {
      pressed = null;
      observer.disconnect();
    };
    const ended = new AbortController();
    // On the window, because React listens to the document.
    const first = { capture: true, signal: ended.signal };
    window.addEventListener('pointerdown', onDown, first);
    window.addEventListener('click', onClick, first);
    for (const type of ['wheel', 'pointercancel', 'keydown'])
      window.addEventListener(type, forget, { ...first, passive: true });
    return () => {
      forget();
      ended.abort();
    };
  }, []);
}

function controlAt({ x, y }: Place): Element | null {
  return controlOf(document.elementFromPoint(x, y));
}

function controlOf(hit: EventTarget | null): Element | null {
  return hit instanceof Element ? hit.closest(pressable) : null;
}
