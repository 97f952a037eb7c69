/** The instant of an answer's RFC 3339 text, or of milliseconds since 1970. Where there is none it is 1970, which shows at once. */
export function dateOf(of: string | number | null | undefined): Date {
  const at = new Date(of ?? 0);
  return Number.isNaN(at.getTime()) ? new Date(0) : at;
}

/** The instant of an answer's RFC 3339 text; null when it is missing or unreadable. */
export function toDate(text: string | null | undefined): Date | null {
  const time = toMs(text);
  return Number.isNaN(time) ? null : new Date(time);
}

/** The milliseconds since 1970 of an RFC 3339 text; NaN when it is missing or unreadable. */
export function toMs(text: string | null | undefined): number {
  return text ? Date.parse(text) : Number.NaN;
}

/** An instant as the server takes it: "2026-03-25T02:08:14.000Z". */
export function toIso(at: Date | number): string {
  return new Date(at).toISOString();
}

/** The instant so many milliseconds later, or earlier when negative. */
export function later(at: Date, ms: number): Date {
  return new Date(at.getTime() + ms);
}
