import { type FocusEvent, type PointerEvent, type ReactNode, useEffect, useState } from 'react';
import * as styles from './tooltip.module.css';

/**
 * Whether a tooltip is shown, and what its wrapper, which holds the tooltip too, listens to: it comes with
 * the mouse or the focus of a keyboard, stays while the mouse is on it, and goes with Escape (WCAG 1.4.13).
 */
export function useTooltip() {
  const [shown, setShown] = useState(false);
  const hide = () => setShown(false);
  useEffect(() => {
    if (!shown) return;
    // On the document, because a mouse shows it without a focus; first, so that it closes nothing else.
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      event.stopPropagation();
      setShown(false);
    };
    document.addEventListener('keydown', onKey, true);
    return () => document.removeEventListener('keydown', onKey, true);
  }, [shown]);
  const wrapper = {
    onPointerEnter: (event: PointerEvent) => event.pointerType === 'mouse' && setShown(true),
    onPointerLeave: hide,
    onFocus: (event: FocusEvent) => setShown(event.target.matches(':focus-visible')),
    onBlur: hide,
  };
  return { shown, hide, wrapper };
}

interface TooltipProps {
  /** It ends where what it is about ends, instead of beginning where that begins. */
  toLeft?: boolean;
  children: ReactNode;
}

/** More about something, below it, for those who see it: the name of the thing says the same. */
export function Tooltip({ toLeft = false, children }: TooltipProps) {
  return (
    <div className={styles.tooltip} data-to={toLeft ? 'left' : undefined} aria-hidden="true">
      {children}
    </div>
  );
}
