import { type Hours, weekdays } from '~/lib/time/week';
import { capitalised } from '~/lib/words';

const day = 24 * 60;
/** How many minutes a week has. */
export const week = 7 * day;
/** The word for hours without an end. */
export const always = 'always';

/** From and to in minutes since Monday 00:00; `to` may lie beyond the week when it runs into the next one. */
export interface Span {
  from: number;
  to: number;
}

/** For each minute of the week whether one of the windows is open; without windows it is always open. */
export function openMinutes(windows: readonly Hours[]): Uint8Array {
  const open = new Uint8Array(week);
  if (windows.length === 0) return open.fill(1);
  for (const window of windows) {
    for (const { from, to } of spansOf(window)) {
      for (let minute = from; minute < to; minute++) open[minute % week] = 1;
    }
  }
  return open;
}

/** The spans of a week in which the minutes are 0. One that runs over Sunday night stays in one piece. */
export function closedSpans(open: Uint8Array): Span[] {
  const spans: Span[] = [];
  for (let minute = 0; minute < week; minute++) {
    if (open[minute]) continue;
    const last = spans.at(-1);
    if (last?.to === minute) last.to = minute + 1;
    else spans.push({ from: minute, to: minute + 1 });
  }
  const [first, last] = [spans[0], spans.at(-1)];
  if (first && last && first !== last && first.from === 0 && last.to === week) {
    last.to = week + first.to;
    spans.shift();
  }
  return spans;
}

/** The windows for people: "Mon to Fri 09:00 to 17:00, Sat 10:00 to 14:00"; "always" when there are none. */
export function hoursInWords(windows: readonly Hours[]): string {
  if (windows.length === 0) return always;
  return windows
    .map(({ days, from, to }) => (from === to ? daysInWords(days) : `${daysInWords(days)} ${from} to ${to}`))
    .join(', ');
}

/** Days for people: "every day", "Mon to Fri", "Sat, Sun". */
export function daysInWords(names: readonly string[]): string {
  const numbers = weekdays.flatMap((name, i) => (names.includes(name) ? [i] : []));
  if (numbers.length === 0 || numbers.length === 7) return 'every day';
  const runs: number[][] = [];
  for (const number of numbers) {
    const run = runs.at(-1);
    if (run?.at(-1) === number - 1) run.push(number);
    else runs.push([number]);
  }
  return runs.map(runInWords).join(', ');
}

/** Spans for people, those of the same hours together: "Mon to Thu 17:00 to 09:00, Fri 17:00 to Mon 09:00". */
export function spansInWords(spans: readonly Span[]): string {
  if (spans.some(({ from, to }) => to - from >= week)) return always;
  const groups = new Map<string, Span[]>();
  for (const span of spans) {
    const key = `${span.from % day}/${span.to - span.from}`;
    groups.set(key, [...(groups.get(key) ?? []), span]);
  }
  return [...groups.values()].map(groupInWords).join(', ');
}

function groupInWords(group: readonly Span[]): string {
  const [first] = group;
  if (!first) return '';
  const names = group.map(({ from }) => weekdays[Math.floor(from / day)] ?? '');
  const [from, to] = [clockOf(first.from), clockOf(first.to)];
  if (first.to - first.from === day && from === '00:00') return daysInWords(names);
  if (first.to - first.from <= day) return `${daysInWords(names)} ${from} to ${to}`;
  return group.map((span) => `${dayOf(span.from)} ${from} to ${dayOf(span.to)} ${to}`).join(', ');
}

function spansOf({ days: names, from, to }: Hours): Span[] {
  const [start, end] = [minutesOf(from), minutesOf(to)];
  const length = end > start ? end - start : end - start + day;
  return weekdays
    .map((name, i) => ({ name, at: i * day + start }))
    .filter(({ name }) => names.length === 0 || names.includes(name))
    .map(({ at }) => ({ from: at, to: at + length }));
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}

function runInWords(run: readonly number[]): string {
  const [first, last] = [short(run[0]), short(run.at(-1))];
  if (run.length === 1) return first;
  return run.length === 2 ? `${first}, ${last}` : `${first} to ${last}`;
}

function dayOf(minute: number): string {
  return short(Math.floor(minute / day) % 7);
}

function clockOf(minute: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(Math.floor((minute % day) / 60))}:${two(minute % 60)}`;
}

function short(number: number | undefined): string {
  return capitalised((weekdays[number ?? 0] ?? '').slice(0, 3));
}
