import { two } from '../words';

/** Instants are milliseconds since 1970. A wall clock time is what a clock on the wall of a zone shows. */
export interface Wall {
  year: number;
  /** 1 to 12. */
  month: number;
  day: number;
  hour: number;
  minute: number;
}

/** A calendar day of a zone: true instants, so that it is 23, 24 or 25 hours long. */
export interface Day {
  from: number;
  to: number;
  year: number;
  month: number;
  day: number;
  /** 0 is Sunday. */
  weekday: number;
}

const minute = 60_000;
const hour = 60 * minute;
const dayMs = 24 * hour;
const formats = new Map<string, Intl.DateTimeFormat>();

/** The zone of the reader's computer. */
export function readersZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';
}

/** What the clocks of the zone show at an instant. An unknown zone reads as UTC. */
export function wallOf(at: number, zone: string): Wall {
  const parts: Record<string, number> = {};
  for (const { type, value } of formatOf(zone).formatToParts(at)) parts[type] = Number(value);
  const { year = 1970, month = 1, day = 1, hour = 0, minute = 0 } = parts;
  return { year, month, day, hour, minute };
}

/** How far the zone's clocks are ahead of UTC at an instant, in milliseconds. */
export function offsetAt(at: number, zone: string): number {
  const whole = Math.floor(at / minute) * minute;
  return asUtc(wallOf(whole, zone)) - whole;
}

/**
 * The instant at which the zone's clocks show a time: the first one when they show it twice, and
 * the first instant after the jump when they skip it.
 */
export function instantOf(wall: Wall, zone: string): number {
  const local = asUtc(wall);
  const [before, after] = [offsetAt(local - dayMs, zone), offsetAt(local + dayMs, zone)];
  const fits = [local - before, local - after].filter((at) => at + offsetAt(at, zone) === local);
  if (fits.length > 0) return Math.min(...fits);
  return (
    jumpBetween(local - Math.max(before, after), local - Math.min(before, after), zone) ?? local - before
  );
}

/** The day of the zone that an instant is in. */
export function dayOf(at: number, zone: string): Day {
  const { year, month, day } = wallOf(at, zone);
  return calendarDay(year, month, day, zone);
}

/** The day so many days later, or earlier when negative. */
export function dayAfter(day: Day, days: number, zone: string): Day {
  return calendarDay(day.year, day.month, day.day + days, zone);
}

/** A day by its date; a day of the month beyond the last counts into the next month. */
export function calendarDay(year: number, month: number, day: number, zone: string): Day {
  const date = new Date(Date.UTC(year, month - 1, day));
  const next = new Date(Date.UTC(year, month - 1, day + 1));
  return {
    from: midnight(date, zone),
    to: midnight(next, zone),
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    weekday: date.getUTCDay(),
  };
}

/** Every day of the zone that begins in [from, to), or is under way at from. */
export function daysBetween(from: number, to: number, zone: string): Day[] {
  const days: Day[] = [];
  for (let day = dayOf(from, zone); day.from < to; day = dayAfter(day, 1, zone)) days.push(day);
  return days;
}

/** The nights, 22 to 06 on the wall, that touch [from, to). */
export function nightsBetween(from: number, to: number, zone: string): { from: number; to: number }[] {
  return daysBetween(from - dayMs, to, zone)
    .map(({ year, month, day }) => {
      const date = new Date(Date.UTC(year, month - 1, day + 1));
      return {
        from: instantOf({ year, month, day, hour: 22, minute: 0 }, zone),
        to: instantOf({ ...dateOf(date), hour: 6, minute: 0 }, zone),
      };
    })
    .filter((night) => night.to > from && night.from < to);
}

/** The wall clock time as a form's field holds it: 2026-03-28T08:00. */
export function toField(at: Date | number, zone = readersZone()): string {
  const { year, month, day, hour, minute } = wallOf(at.valueOf(), zone);
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}`;
}

/** The instant of a form's field, or null while it is incomplete. */
export function fromField(text: string, zone = readersZone()): number | null {
  const match = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)/.exec(text);
  if (!match) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = match.slice(1).map(Number);
  return instantOf({ year, month, day, hour, minute }, zone);
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const made = makeFormat(zone) ?? formatOf('UTC');
  formats.set(zone, made);
  return made;
}

function makeFormat(timeZone: string): Intl.DateTimeFormat | null {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      calendar: 'gregory',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
    });
  } catch {
    return null;
  }
}

function asUtc({ year, month, day, hour, minute }: Wall): number {
  return Date.UTC(year, month - 1, day, hour, minute);
}

function dateOf(date: Date): Pick<Wall, 'year' | 'month' | 'day'> {
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

function midnight(date: Date, zone: string): number {
  return instantOf({ ...dateOf(date), hour: 0, minute: 0 }, zone);
}

// Where in (low, high] the clocks jump, to the minute; null when they do not.
function jumpBetween(low: number, high: number, zone: string): number | null {
  const first = offsetAt(low, zone);
  if (offsetAt(high, zone) === first) return null;
  let [before, after] = [low, high];
  while (after - before > minute) {
    const middle = before + Math.floor((after - before) / 2 / minute) * minute;
    if (offsetAt(middle, zone) === first) before = middle;
    else after = middle;
  }
  return after;
}
