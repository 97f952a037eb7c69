import { randomToken } from './device';
import { currentIdentity } from './identity';
import { forgetHalfWritten, halfWrittenKey, subscribeSession } from './session';

interface Kept {
  /** Who wrote it. */
  by: string;
  /** By what it is for. */
  texts: Record<string, string>;
  /** The keys that texts were sent with, which may have arrived. */
  keys?: Record<string, string>;
}

/** What the signed-in person had written of something and not sent, in this tab; empty when nothing. */
export function halfWritten(what: string): string {
  return read()?.texts[what] ?? '';
}

/**
 * Keeps it over a reload and over the end of a session that nobody ended. It is gone with a logout, and
 * once somebody else signs in. Empty text is forgotten.
 */
export function keepHalfWritten(what: string, text: string): void {
  const by = currentIdentity();
  if (!by) return;
  const { texts, keys = {} }: Omit<Kept, 'by'> = read() ?? { texts: {} };
  if (text.trim() !== texts[what]?.trim()) delete keys[what];
  if (text === '') delete texts[what];
  else texts[what] = text;
  store({ by, texts, keys });
}

/** The idempotency key to send it with: the same until the text changes, also after a reload. */
export function keyOfHalfWritten(what: string): string {
  const kept = read();
  const key = kept?.keys?.[what] ?? randomToken();
  if (kept) store({ ...kept, keys: { ...kept.keys, [what]: key } });
  return key;
}

function read(): Kept | null {
  try {
    const kept: Kept | null = JSON.parse(sessionStorage.getItem(halfWrittenKey) ?? 'null');
    return kept?.by === currentIdentity() ? kept : null;
  } catch {
    return null;
  }
}

function store(kept: Kept): void {
  try {
    sessionStorage.setItem(halfWrittenKey, JSON.stringify(kept));
  } catch {
    // It is full, or closed to pages.
  }
}

function forgetOthers(): void {
  if (currentIdentity() && !read()) forgetHalfWritten();
}

if (typeof window !== 'undefined') {
  forgetOthers();
  subscribeSession(forgetOthers);
}
