import { two } from '../words';

// In words, by the reader's clock and calendar. By those of another zone: zone-words.ts.

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/**
 * How long ago (or until) a moment is, in the largest unit that fits: "4 minutes ago", "yesterday", "in
 * 2 hours". Days are those of the reader's calendar: 47 hours ago is often not yesterday.
 */
export function relativeTime(at: Date, now: Date): string {
  const seconds = Math.round((at.getTime() - now.getTime()) / 1000);
  const size = Math.abs(seconds);
  if (size < 45) return 'just now';
  if (size < hour) return relative.format(roundOff(seconds / minute), 'minute');
  if (size < day) return relative.format(roundOff(seconds / hour), 'hour');
  return relative.format(dayNumber(at) - dayNumber(now), 'day');
}

/** A length of time for a sentence: "12s", "4m 12s", "2h 15m", "3d 4h". Never negative. */
export function duration(seconds: number): string {
  const total = Math.max(0, Math.floor(seconds));
  if (total < minute) return `${total}s`;
  if (total < hour) return `${Math.floor(total / minute)}m ${total % minute}s`;
  if (total < day) return `${Math.floor(total / hour)}h ${Math.floor((total % hour) / minute)}m`;
  return `${Math.floor(total / day)}d ${Math.floor((total % day) / hour)}h`;
}

/** A length of time that was chosen rather than measured, without its empty parts: "5m", "1h 30m". */
export function plainDuration(seconds: number): string {
  return duration(seconds).replace(/(?<=\w) 0[smh]$/, '');
}

/** The distance from a start: "+0.3s" below ten seconds, "+42s" below a minute, "+4:00" after that. */
export function offset(seconds: number): string {
  const size = Math.max(0, seconds);
  if (size < 9.95) return `+${size.toFixed(1)}s`;
  if (size < minute) return `+${Math.round(size)}s`;
  const total = Math.round(size);
  if (total < hour) return `+${Math.floor(total / minute)}:${two(total % minute)}`;
  return `+${Math.floor(total / hour)}:${two(Math.floor((total % hour) / minute))}:${two(total % minute)}`;
}

/** A clock time in the reader's zone: "03:08:14". */
export function clockTime(at: Date): string {
  return at.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
}

/** A clock time without its seconds: "03:08". */
export function shortClock(at: Date): string {
  return clockTime(at).slice(0, 5);
}

/** A clock time, with its date in front unless it is of today or of the night that is under way: "Tue 24 Mar, 03:08:14". */
export function nightTime(at: Date, now: Date): string {
  const far = Math.abs(at.getTime() - now.getTime()) / 1000 >= 12 * hour;
  return far && dayNumber(at) !== dayNumber(now) ? `${fullDay(at)}, ${clockTime(at)}` : clockTime(at);
}

/** A full date with its zone, for hover and the head of a page: "Wed 25 Mar, 03:08:14 CET". */
export function fullTime(at: Date): string {
  return `${fullDay(at)}, ${clockTime(at)} ${zoneName(at)}`;
}

/** A day without its time: "Wed 25 Mar". */
export function fullDay(at: Date): string {
  const date = at.toLocaleDateString('en-GB', { weekday: 'short', day: 'numeric', month: 'short' });
  return date.replace(',', '');
}

/** A day as entries are gathered under it: "Today", "Yesterday", "Wed 25 Mar". */
export function nearDay(at: Date, now: Date): string {
  const before = dayNumber(now) - dayNumber(at);
  return before === 0 ? 'Today' : before === 1 ? 'Yesterday' : fullDay(at);
}

/** From when to when: "Sat 21 Nov, 12:40 to 14:40 CET"; the second day is named when it is another. */
export function spanTime(from: Date, to: Date): string {
  const end = dayNumber(from) === dayNumber(to) ? shortClock(to) : `${fullDay(to)}, ${shortClock(to)}`;
  return `${fullDay(from)}, ${shortClock(from)} to ${end} ${zoneName(to)}`;
}

// How the reader's zone is called at that moment: "CET", "GMT+1".
function zoneName(at: Date): string {
  return at.toLocaleTimeString('en-GB', { timeZoneName: 'short' }).split(' ').at(-1) ?? '';
}

// Days since 1970 of the reader's calendar, whatever the clocks did in between.
function dayNumber(at: Date): number {
  return Date.UTC(at.getFullYear(), at.getMonth(), at.getDate()) / (day * 1000);
}

// Towards zero, so that 59 minutes never read as an hour.
function roundOff(value: number): number {
  return Math.trunc(value);
}
