const units: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds, or words such as `250ms`, `60s`, `5m`, `24h`. */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`;

export function milliseconds(duration: Duration): number {
  if (typeof duration === 'number') return duration;
  const [, number, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(duration) ?? [];
  return Number(number ?? Number.NaN) * (units[unit ?? ''] ?? Number.NaN);
}

/** `5 s`, `1.5 s` or `250 ms`. */
export const shortDuration = (ms: number): string =>
  ms < 1000 || ms % 100 !== 0 ? `${ms} ms` : `${ms / 1000} s`;

export const wholeSeconds = (duration: Duration): number => Math.ceil(milliseconds(duration) / 1000);
