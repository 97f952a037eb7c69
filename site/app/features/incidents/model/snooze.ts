import { atHour } from '~/lib/time/day';
import { later } from '~/lib/time/instant';
/** One time for which an incident can be snoozed. */
export interface Snooze {
  word: string;
  /** For how long. */
  seconds: number;
  /** When that ends, for one that is chosen now. */
  until: Date;
}

const minute = 60;
const hour = 60 * minute;
const morning = 9;

/** The times on offer: three short ones, and the next morning at nine by the reader's clock. */
export function snoozes(now: Date): Snooze[] {
  const today = atHour(now, morning);
  const next = secondsTo(today, now) < 4 * hour ? atHour(now, morning, 1) : today;
  return [
    ['30 minutes', 30 * minute] as const,
    ['1 hour', hour] as const,
    ['4 hours', 4 * hour] as const,
    ['Until the morning', secondsTo(next, now)] as const,
  ].map(([word, seconds]) => ({ word, seconds, until: later(now, seconds * 1000) }));
}

const secondsTo = (then: Date, now: Date) => Math.ceil((then.getTime() - now.getTime()) / 1000);
