import { useLayoutEffect, useState } from 'react';
import { randomToken } from './device';
import { accountOf, currentIdentity } from './identity';
import { forgetHalfWritten, halfWrittenKey, subscribeSession } from './session';

interface Kept {
  /** By what it is for. */
  texts: Record<string, string>;
  /** The keys that texts were sent with, which may have arrived. */
  keys: Record<string, string>;
}

const nothing: Kept = { texts: {}, keys: {} };
// The last text that could not be stored, so that it is not taken for unwritten, nor sent under two keys.
let held: { by: string; what: string; text: string; key: string } | undefined;
const shown = new Set<(what: string, text: string) => void>();

/** What the signed-in person had written of something and not sent, in this tab; empty when nothing. */
export function halfWritten(what: string): string {
  return read().texts[what] ?? '';
}

/** The same for a field, and the way to write it: all fields of one thing show the same, whichever was written in. */
export function useHalfWritten(what: string) {
  const [text, setText] = useState(() => halfWritten(what));
  const [by] = useState(currentIdentity);
  useLayoutEffect(() => {
    const show = (of: string, now: string) => of === what && setText(now);
    shown.add(show);
    return () => void shown.delete(show);
  }, [what]);
  // Not as who another tab signed in a moment ago.
  return [text, (now: string) => void (by === currentIdentity() && keepHalfWritten(what, now))] as const;
}

/**
 * Keeps it over a reload, over the end of a session that nobody ended and over a look at another organization.
 * It is gone with a logout, and once somebody else signs in. Empty text is forgotten.
 */
export function keepHalfWritten(what: string, text: string): void {
  for (const show of shown) show(what, text);
  const { texts, keys } = read();
  if (text.trim() !== texts[what]?.trim()) delete keys[what];
  if (text === '') delete texts[what];
  else texts[what] = text;
  store({ texts, keys }, what);
}

/** The idempotency key to send it with: the same until the text changes, also after a reload. */
export function keyOfHalfWritten(what: string): string {
  const kept = read();
  kept.keys[what] ??= randomToken();
  store(kept, what);
  return kept.keys[what];
}

// One record for each organization of the account.
function all(): Record<string, Kept> {
  try {
    return JSON.parse(sessionStorage.getItem(halfWrittenKey) ?? '{}');
  } catch {
    return {};
  }
}

function read(): Kept {
  const by = currentIdentity();
  const kept = structuredClone((by && all()[by]) || nothing);
  if (held?.by !== by) return kept;
  const { what, text, key } = held;
  return { texts: { ...kept.texts, [what]: text }, keys: key ? { ...kept.keys, [what]: key } : kept.keys };
}

function store(kept: Kept, what: string): void {
  const by = currentIdentity();
  if (!by) return;
  try {
    sessionStorage.setItem(halfWrittenKey, JSON.stringify({ ...all(), [by]: kept }));
    held = undefined;
  } catch {
    // It is full, or closed to pages.
    held = { by, what, text: kept.texts[what] ?? '', key: kept.keys[what] ?? '' };
  }
}

function forgetOthers(): void {
  const by = currentIdentity();
  if (held?.by !== by) held = undefined;
  if (by && Object.keys(all()).some((one) => accountOf(one) !== accountOf(by))) forgetHalfWritten();
}

if (typeof window !== 'undefined') {
  forgetOthers();
  subscribeSession(forgetOthers);
}
