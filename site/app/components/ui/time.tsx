import type { ReactNode } from 'react';
import { toIso } from '~/lib/time/instant';
import { fullTime } from '~/lib/time/words';

interface TimeProps {
  at: Date;
  className?: string;
  /** What is added to the full time on hover: ", to a quarter of an hour". */
  note?: string;
  /** In other words than the full time, which is then shown on hover. */
  children?: ReactNode;
}

/** An instant, for people and for machines. */
export function Time({ at, className, note = '', children }: TimeProps) {
  const full = fullTime(at);
  return (
    <time className={className} dateTime={toIso(at)} title={children ? full + note : undefined}>
      {children ?? full}
    </time>
  );
}
