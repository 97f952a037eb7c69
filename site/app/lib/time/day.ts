import { two } from '../words';

// Days of the reader's calendar, written 2026-11-24.

/** The day that a moment is in. */
export function dayText(at: Date): string {
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

/** The midnight at which a day begins, or one of the days after it; null when it is no day. */
export function dayStart(day: string, after = 0): Date | null {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day) ?? [];
  return year ? new Date(Number(year), Number(month) - 1, Number(date) + after) : null;
}

/** A day as it is written in a chart: "24 Nov". */
export function shortDay(day: string): string {
  return noonOf(day).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
}

/** Whether a day is a Saturday or a Sunday. */
export function isWeekend(day: string): boolean {
  return [0, 6].includes(noonOf(day).getUTCDay());
}

/** A full hour of the day that a moment is in, or of one of the days after it, by the clock on the wall. */
export function atHour(at: Date, hour: number, after = 0): Date {
  return new Date(at.getFullYear(), at.getMonth(), at.getDate() + after, hour);
}

/** The full hour that the clock on the wall showed last, some hours later. */
export function fullHourAfter(at: Date, hours: number): Date {
  return atHour(at, at.getHours() + hours);
}

function noonOf(day: string): Date {
  return new Date(`${day}T12:00:00Z`);
}
