/** The time of day that somebody typed, as 24 hours: "9" and "900" are "09:00"; empty when it is none. */
export function toTime(text: string): string {
  const match = /^(\d{1,2})(?:[:.h]?(\d\d))?$/.exec(text.trim());
  if (!match) return '';
  const [hours, minutes] = [Number(match[1]), Number(match[2] ?? 0)];
  if (hours > 24 || minutes > 59) return '';
  return `${String(hours % 24).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`;
}
