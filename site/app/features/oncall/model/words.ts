import { type Hours, weekdays } from '~/lib/time/week';
import { lengthWords, momentWords, spanWords } from '~/lib/time/zone-words';
import { capitalised } from '~/lib/words';
import type { Rotation, Shift } from './schedule';

/** From and to, with the length when both are known: "Sat 28 Mar 08:00 to 14:00, 6 h". */
export function shiftWords({ from, to }: Pick<Shift, 'from' | 'to'>, zone: string): string {
  const span = spanWords(from, to, zone);
  return Number.isFinite(to - from) ? `${span}, ${lengthWords(to - from)}` : span;
}

/** When nobody is on call: "now, until Sat 28 Mar 14:00", or from and to. */
export function gapWords({ from, to }: Pick<Shift, 'from' | 'to'>, zone: string, now: number): string {
  if (from > now) return spanWords(from, to, zone);
  return Number.isFinite(to) ? `now, until ${momentWords(to, zone)}` : 'now, without an end in sight';
}

/** How often turns change: "Every day at 08:00", "Every 2 weeks, Monday at 09:00". */
export function cadenceWords({
  unit,
  length,
  handover,
  weekday,
}: Pick<Rotation, 'unit' | 'length' | 'handover' | 'weekday'>): string {
  const every = length === 1 ? `Every ${unit}` : `Every ${length} ${unit}s`;
  if (unit === 'hour') return `${every}, counted from ${handover}`;
  if (unit === 'week') return `${every}, ${capitalised(weekday || 'monday')} at ${handover}`;
  return `${every} at ${handover}`;
}

/** When a layer is on: "Weekdays 08:00 to 20:00, weekend all day"; nothing when it always is. */
export function windowWords(windows: readonly Hours[]): string {
  const text = windows.map((one) => `${daysWords(one.days)} ${hoursWords(one)}`.trim()).join(', ');
  return capitalised(text);
}

/** Why somebody is on, or nobody. */
export function reasonWords(shift: Shift): string {
  const nobody = shift.people.length === 0;
  if (shift.because === 'inactive') return 'The schedule is inactive.';
  if (shift.because === 'override') return nobody ? 'Left vacant by an override.' : 'By an override.';
  if (nobody) return 'No rotation is on at this time.';
  return shift.becauseName ? `By the rotation ${shift.becauseName}.` : 'By a rotation.';
}

/** Days of the week together: "weekdays", "weekend", "Mon to Thu", "Mon, Wed"; empty for every day. */
export function daysWords(days: readonly string[]): string {
  const places = weekdays.map((day, i) => (days.includes(day) ? i : -1)).filter((i) => i >= 0);
  const key = places.join('');
  if (key === '' || key === '0123456') return '';
  if (key === '01234') return 'weekdays';
  if (key === '56') return 'weekend';
  const words = places.map((i) => capitalised(weekdays[i] ?? '').slice(0, 3));
  const run = places.length > 2 && (places.at(-1) ?? 0) - (places[0] ?? 0) === places.length - 1;
  return run ? `${words[0]} to ${words.at(-1)}` : words.join(', ');
}

function hoursWords({ from, to }: Hours): string {
  return from === to ? (from === '00:00' ? 'all day' : `${from} to ${to} the next day`) : `${from} to ${to}`;
}
