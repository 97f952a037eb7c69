import { two } from '../words';
import { type Day, dayOf, offsetAt, readersZone, wallOf } from './zone';

// In words, by the clocks on the wall of a zone. Instants are milliseconds.

const minute = 60_000;
const hour = 60 * minute;
const dayMs = 24 * hour;
const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const months = 'January February March April May June July August September October November December'.split(
  ' ',
);

/** The time on the wall: 08:00. */
export function clockWords(at: number, zone: string): string {
  const { hour, minute } = wallOf(at, zone);
  return `${two(hour)}:${two(minute)}`;
}

/** A time of a zone's wall in words, followed by the zone where it is not the reader's: "08:00 Europe/Berlin". */
export function withZone(words: string, zone: string): string {
  return isReaders(zone) ? words : `${words} ${zone}`;
}

const known = new Map<string, boolean>();

/** Whether the reader's clocks show the zone's time, whatever it is called: on each day of the coming year. */
export function isReaders(zone: string): boolean {
  const own = readersZone();
  if (own === zone) return true;
  const pair = `${own} ${zone}`;
  const same = known.get(pair) ?? haveSameClocks(own, zone);
  known.set(pair, same);
  return same;
}

function haveSameClocks(one: string, other: string): boolean {
  const today = Math.floor(Date.now() / dayMs);
  for (let day = today; day <= today + 366; day++)
    if (offsetAt(day * dayMs, one) !== offsetAt(day * dayMs, other)) return false;
  return true;
}

/** A day in short: "Sat 28", or "Sat 28 Mar" with its month. */
export function dayWords(day: Pick<Day, 'weekday' | 'day' | 'month'>, withMonth = true): string {
  const short = `${weekdays[day.weekday]} ${day.day}`;
  return withMonth ? `${short} ${monthWords(day.month).slice(0, 3)}` : short;
}

/** A moment: "Sat 28 Mar 08:00". */
export function momentWords(at: number, zone: string): string {
  return `${dayWords(dayOf(at, zone))} ${clockWords(at, zone)}`;
}

/** A moment in as few words as are clear now: "08:00" today, "Sat 08:00" this week, else with the date. */
export function soonWords(at: number, zone: string, now: number): string {
  const clock = clockWords(at, zone);
  const [day, today] = [dayOf(at, zone), dayOf(now, zone)];
  const ahead = at - now;
  // The small hours of the coming night are still today to whoever is awake.
  if (day.from === today.from || (ahead > 0 && ahead < 12 * hour)) return clock;
  if (ahead > 0 && ahead < 6 * dayMs) return `${weekdays[day.weekday]} ${clock}`;
  return momentWords(at, zone);
}

/** From and to: "Sat 28 Mar 08:00 to 14:00", with the second date when it is another day. */
export function spanWords(from: number, to: number, zone: string): string {
  if (!Number.isFinite(from) && !Number.isFinite(to)) return 'Always';
  if (!Number.isFinite(to)) return `From ${momentWords(from, zone)} on`;
  if (!Number.isFinite(from)) return `Until ${momentWords(to, zone)}`;
  const same = dayOf(from, zone).from === dayOf(to, zone).from;
  const end = same ? clockWords(to, zone) : momentWords(to, zone);
  return `${momentWords(from, zone)} to ${end}`;
}

/** A length of time that people plan with: "30 min", "6 h", "1 day 12 h", "7 days". */
export function lengthWords(ms: number): string {
  const days = Math.floor(ms / dayMs);
  const hours = Math.floor((ms % dayMs) / hour);
  const minutes = Math.round((ms % hour) / minute);
  if (days === 0 && hours === 0) return `${minutes} min`;
  if (days === 0) return minutes === 0 ? `${hours} h` : `${hours} h ${minutes} min`;
  const whole = `${days} ${days === 1 ? 'day' : 'days'}`;
  return hours === 0 ? whole : `${whole} ${hours} h`;
}

/** The days of a range: "23 to 29 March", "30 March to 5 April", "Wed 25 March"; with the year when it is another than now. */
export function rangeWords(from: number, to: number, zone: string, now: number): string {
  const [first, last] = [dayOf(from, zone), dayOf(to - 1, zone)];
  const year = last.year === dayOf(now, zone).year ? '' : ` ${last.year}`;
  if (first.from === last.from) {
    return `${weekdays[first.weekday]} ${first.day} ${monthWords(first.month)}${year}`;
  }
  const start = first.month === last.month ? `${first.day}` : `${first.day} ${monthWords(first.month)}`;
  return `${start} to ${last.day} ${monthWords(last.month)}${year}`;
}

/** What a change of the clocks does to its day: "Clocks go forward: Sunday has 23 hours". */
export function clockChangeWords(day: Day, by: number): string {
  const long = new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' });
  const name = long.format(Date.UTC(day.year, day.month - 1, day.day));
  return `Clocks go ${by > 0 ? 'forward' : 'back'}: ${name} has ${dayLengthWords(day).replace(/ h$/, ' hours')}`;
}

/** How long a day is, in hours: "23 h", "24 h 30 min". */
export function dayLengthWords({ from, to }: Pick<Day, 'from' | 'to'>): string {
  const [hours, minutes] = [Math.floor((to - from) / hour), ((to - from) % hour) / minute];
  return minutes === 0 ? `${hours} h` : `${hours} h ${minutes} min`;
}

/** The word of a month, 1 to 12. */
export function monthWords(month: number): string {
  return months[month - 1] ?? '';
}
