import { calendarDay, dayAfter, dayOf } from '~/lib/time/zone';

/** How much of a schedule is on the picture. */
export type Span = 'day' | 'week' | 'fortnight' | 'month';

/** The part of time that is on the picture. Instants in milliseconds, whole days of the zone. */
export interface Range {
  from: number;
  to: number;
}

/** Every span with its word, short to long. */
export const spans: readonly { value: Span; content: string }[] = [
  { value: 'day', content: 'Day' },
  { value: 'week', content: 'Week' },
  { value: 'fortnight', content: '2 weeks' },
  { value: 'month', content: 'Month' },
];

const lengths = { day: 1, week: 7, fortnight: 14 } as const;
const dayMs = 24 * 3_600_000;
// A shift that is on at the edge of the picture is wanted with its true start and end. A month and
// its margins are what the server gives at once: 92 days.
const margin = 30 * dayMs;

/** A word of the address as a span; a week for anything else. */
export function toSpan(word: string | null): Span {
  return spans.find((span) => span.value === word)?.value ?? 'week';
}

/** The range that shows an instant: from its day on, or its calendar month. */
export function rangeAt(at: number, span: Span, zone: string): Range {
  const day = dayOf(at, zone);
  if (span === 'month') {
    const first = calendarDay(day.year, day.month, 1, zone);
    return { from: first.from, to: calendarDay(day.year, day.month + 1, 1, zone).from };
  }
  return { from: day.from, to: dayAfter(day, lengths[span], zone).from };
}

/** The range beside another: one step later, or one earlier. */
export function rangeBeside(range: Range, span: Span, step: 1 | -1, zone: string): Range {
  const day = dayOf(range.from, zone);
  if (span === 'month') return rangeAt(calendarDay(day.year, day.month + step, 1, zone).from, span, zone);
  return rangeAt(dayAfter(day, step * lengths[span], zone).from, span, zone);
}

/** What to ask the server for, so that shifts across the edges come whole. */
export function askedRange(range: Range): Range {
  return { from: range.from - margin, to: range.to + margin };
}
