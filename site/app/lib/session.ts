/** The signed-in person, as the sign-in call returned them. Only the name is certain. */
export interface SessionUser {
  id?: string;
  name: string;
  email?: string;
  role?: string;
  org_id?: string;
}

/** What a sign-in leaves behind in local storage, each part under its own key. */
export interface Session {
  user: SessionUser;
  accessToken: string;
  refreshToken: string;
}

/** Why the last session of this tab ended. */
export type SessionEnd = 'signed-out' | 'expired' | 'account-deleted' | 'organization-deleted';

/** Where the parts of a session are stored. */
export const sessionKeys = { access: 'access_token', refresh: 'refresh_token', user: 'user' } as const;
/** Where each tab keeps what was half written in it. */
export const halfWrittenKey = 'half-written';
/** Stored for a moment, which tells other tabs that somebody left for good. */
export const leftKey = 'session_left';
const listeners = new Set<() => void>();
let cached: { raw: string; session: Session | null } | null = null;
let lastEnd: SessionEnd | null = null;

/** The stored session, or null when the user or the access token is missing. The same object until storage changes. */
export function currentSession(): Session | null {
  const [user, access, refresh] = [
    read(sessionKeys.user),
    read(sessionKeys.access),
    read(sessionKeys.refresh),
  ];
  const raw = JSON.stringify([user, access, refresh]);
  if (cached?.raw !== raw) cached = { raw, session: parse(user, access, refresh) };
  // Another tab has signed in: how the one before ended says nothing of how this one will.
  if (cached.session) lastEnd = null;
  return cached.session;
}

/** Whose session it is: the account, and the organization it acts in. */
export function identityOf({ user }: Session): string {
  return `${user.org_id ?? ''}/${user.id ?? ''}`;
}

/** Why this tab's last session ended; null while there was none, or is one. Reading it does not clear it. */
export function lastSessionEnd(): SessionEnd | null {
  return lastEnd;
}

/** Calls back when the session changes here or in another tab. Returns the way to stop. */
export function subscribeSession(notify: () => void): () => void {
  listeners.add(notify);
  window.addEventListener('storage', notify);
  return () => {
    listeners.delete(notify);
    window.removeEventListener('storage', notify);
  };
}

/** Forgets what was half written in this tab. */
export function forgetHalfWritten(): void {
  try {
    sessionStorage.removeItem(halfWrittenKey);
  } catch {
    // Nothing is kept there then.
  }
}

// Here, because every page has this file, also those that show nothing half written.
if (typeof window !== 'undefined')
  window.addEventListener('storage', ({ key, newValue }) => {
    if (key === leftKey && newValue) forgetHalfWritten();
  });

function parse(user: string | null, access: string | null, refresh: string | null): Session | null {
  if (!user || !access) return null;
  try {
    const value: unknown = JSON.parse(user);
    if (typeof value !== 'object' || value === null) return null;
    const name = 'name' in value && typeof value.name === 'string' ? value.name : '';
    return { user: { ...value, name }, accessToken: access, refreshToken: refresh ?? '' };
  } catch {
    return null;
  }
}

/** Tells every listener that storage has changed, and why the session ended if it did. */
export function announceSession(end = lastEnd): void {
  lastEnd = end;
  for (const notify of listeners) notify();
}

function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}
