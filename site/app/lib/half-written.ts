import { currentIdentity } from './identity';
import { lastSessionEnd, subscribeSession } from './session';

const key = 'half-written';

interface Kept {
  /** Who wrote it. */
  by: string;
  /** By what it is for. */
  texts: Record<string, string>;
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
  const { [what]: _, ...others } = read()?.texts ?? {};
  store({ by, texts: text === '' ? others : { ...others, [what]: text } });
}

function read(): Kept | null {
  try {
    const kept: Kept | null = JSON.parse(sessionStorage.getItem(key) ?? 'null');
    return kept?.by === currentIdentity() ? kept : null;
  } catch {
    return null;
  }
}

function store(kept: Kept): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(kept));
  } catch {
    // It is full, or closed to pages.
  }
}

function forgetOthers(): void {
  const left = !currentIdentity() && lastSessionEnd() !== 'signed-out';
  if (left || read()) return;
  try {
    sessionStorage.removeItem(key);
  } catch {
    // Nothing is kept there then.
  }
}

if (typeof window !== 'undefined') {
  forgetOthers();
  subscribeSession(forgetOthers);
}
