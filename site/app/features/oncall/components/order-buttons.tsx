import type { ReactNode } from 'react';
import { IconButton } from '~/components/ui/button';
import * as styles from './order-buttons.module.css';

interface OrderButtonsProps {
  name: string;
  place: number;
  count: number;
  onMove: (step: 1 | -1) => void;
  children: ReactNode;
}

/** The buttons that move an entry of a list, and the one that removes it. */
export function OrderButtons({ name, place, count, onMove, children }: OrderButtonsProps) {
  return (
    <span className={styles.order}>
      <IconButton
        className={styles.flipped}
        icon="chevron-down"
        size="sm"
        label={`Move ${name} up`}
        aria-disabled={place === 0}
        onClick={() => onMove(-1)}
      />
      <IconButton
        icon="chevron-down"
        size="sm"
        label={`Move ${name} down`}
        aria-disabled={place === count - 1}
        onClick={() => onMove(1)}
      />
      {children}
    </span>
  );
}
