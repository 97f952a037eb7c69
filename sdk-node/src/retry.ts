const firstDelay = 500;
const longestDelay = 30_000;
const foregroundWish = 120_000; // nobody waits longer for a call
const backgroundWish = 3_600_000; // no server holds an event longer
const backgroundLife = 900_000; // from the first try to the last

/** Exponential with full jitter, in whole milliseconds. `n` counts from 0. */
const backoff = (n: number, random: number): number =>
  Math.floor(random * Math.min(longestDelay, firstDelay * 2 ** n));

/** Of a call that somebody awaits. `life` is three times the timeout. */
export interface ForegroundRule {
  maxRetries: number;
  life: number;
}

/** The delay before retry `n`, or undefined: then the background has it. */
export function foreground(
  rule: ForegroundRule,
  n: number,
  wish: number,
  elapsed: number,
  random: () => number,
): number | undefined {
  if (n >= rule.maxRetries || wish > foregroundWish) return undefined;
  const delay = Math.max(backoff(n, random()), wish);
  return elapsed + delay <= rule.life ? delay : undefined;
}

/** The same for what is queued; undefined ends the tries. */
export function background(
  n: number,
  wish: number,
  elapsed: number,
  random: () => number,
): number | undefined {
  const delay = Math.max(backoff(n, random()), Math.min(wish, backgroundWish));
  return elapsed + delay <= backgroundLife ? delay : undefined;
}
