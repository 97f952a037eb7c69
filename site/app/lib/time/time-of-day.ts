/**
 * The time of day that somebody typed, as 24 hours: "9" and "900" are "09:00"; empty when it is none.
 * Where the end of a day can be meant, "24:00" is "00:00"; elsewhere it would be a day too early.
 */
export function toTime(text: string, endsDay = false): string {
  const match = /^(\d{1,2})(?:[:.h]?(\d\d))?$/.exec(text.trim());
  if (!match) return '';
  const [hours, minutes] = [Number(match[1]), Number(match[2] ?? 0)];
  if (endsDay && hours === 24 && minutes === 0) return '00:00';
  if (hours > 23 || minutes > 59) return '';
  return `${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`;
}

/** Why what somebody typed is no time of day, for people; empty when it is one, or nothing. */
export function timeFault(text: string, endsDay = false): string {
  if (text.trim() === '' || toTime(text, endsDay)) return '';
  return toTime(text, true) ? 'Midnight is 00:00 of the day that begins.' : 'A time such as 19:30.';
}
