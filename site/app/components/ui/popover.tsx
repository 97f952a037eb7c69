import { type ReactNode, useLayoutEffect, useRef } from 'react';
import * as styles from './popover.module.css';

const gap = 6;
const edge = 12;

/**
 * A small dialog beside what was pressed, open while it is mounted. Escape, a press elsewhere and
 * leaving call `onClose`. Focus goes to its first button and comes back. On a phone it is a sheet
 * at the lower edge.
 */
export function Popover({
  anchor,
  label,
  onClose,
  children,
}: {
  /** What it stands beside. */
  anchor: HTMLElement;
  label: string;
  onClose: () => void;
  children: ReactNode;
}) {
  const ref = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const box = ref.current;
    box?.showPopover?.();
    if (box) place(box, anchor);
    (box?.querySelector<HTMLElement>('button:not([disabled]), a, input') ?? box)?.focus({
      preventScroll: true,
    });
    return () => {
      const inside = box?.contains(document.activeElement);
      box?.hidePopover?.();
      if (inside) anchor.focus({ preventScroll: true });
    };
  }, [anchor]);
  return (
    <div
      ref={ref}
      className={styles.popover}
      popover="auto"
      role="dialog"
      aria-label={label}
      tabIndex={-1}
      onToggle={(event) => {
        if (event.newState === 'closed') onClose();
      }}
    >
      {children}
    </div>
  );
}

// In page coordinates, so that it stays with its anchor when the page scrolls.
function place(box: HTMLElement, anchor: HTMLElement): void {
  const at = anchor.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = box;
  const left = Math.max(edge, Math.min(at.left, window.innerWidth - width - edge));
  const below = at.bottom + gap;
  const fits = below + height <= window.innerHeight - edge || at.top < height + gap + edge;
  const top = fits ? below : at.top - height - gap;
  box.style.setProperty('--x', `${Math.round(left + window.scrollX)}px`);
  box.style.setProperty('--y', `${Math.round(top + window.scrollY)}px`);
}
