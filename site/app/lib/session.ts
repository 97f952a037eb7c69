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
export type SessionEnd = 'signed-out' | 'expired';

const keys = { access: 'access_token', refresh: 'refresh_token', user: 'user' } as const;
const listeners = new Set<() => void>();
let cached: { raw: string; session: Session | null } | null = null;
let lastEnd: SessionEnd | null = null;
let shown: string | null = null;

/** The stored session, or null when the user or the access token is missing. The same object until storage changes. */
export function currentSession(): Session | null {
  const [user, access, refresh] = [read(keys.user), read(keys.access), read(keys.refresh)];
  const raw = JSON.stringify([user, access, refresh]);
  if (cached?.raw !== raw) cached = { raw, session: parse(user, access, refresh) };
  return cached.session;
}

/** Whose session it is: the account, and the organization it acts in. */
export function identityOf({ user }: Session): string {
  return `${user.org_id ?? ''}/${user.id ?? ''}`;
}

/** Whether both are of the same account in the same organization. */
export function isSame(one: Session, other: Session): boolean {
  return identityOf(one) === identityOf(other);
}

/** Stores a new sign-in and tells every listener. */
export function startSession(session: Session): void {
  lastEnd = null;
  // Other tabs can read between two writes: without an access token there is no session to mix up.
  remove(keys.access);
  write(keys.user, JSON.stringify(session.user));
  write(keys.refresh, session.refreshToken);
  write(keys.access, session.accessToken);
  announce();
}

/**
 * Stores what a silent refresh brought, unless the session that asked for it is not the stored one any
 * more: after a logout, another sign-in or a newer refresh, a late answer changes nothing.
 */
export function replaceTokens(
  asked: Session,
  { accessToken, refreshToken, user }: { accessToken: string; refreshToken: string; user?: SessionUser },
): void {
  if (!isStored(asked)) return;
  // The refresh token first: with the old access token beside it, the next call renews once more.
  write(keys.refresh, refreshToken);
  write(keys.access, accessToken);
  if (user) replaceUser(asked, user);
  announce();
}

/** Stores what the server says of the signed-in person now, if that is still who is signed in. */
export function replaceUser(asked: Session, user: SessionUser): void {
  const stored = currentSession();
  const renewed = { ...asked, user };
  if (!stored || !isSame(stored, asked) || !isSame(renewed, asked)) return;
  const text = JSON.stringify(user);
  if (read(keys.user) === text) return;
  write(keys.user, text);
  announce();
}

/**
 * Forgets the user and both tokens. The reason is kept so that the page can say it. With `only`,
 * nothing happens unless that session is still the stored one.
 */
export function endSession(reason: SessionEnd, only?: Session): void {
  if (only && !isStored(only)) return;
  lastEnd = reason;
  for (const key of Object.values(keys)) remove(key);
  announce();
}

/** Binds this tab to whose data it shows; null while it shows nobody's. */
export function showAs(identity: string | null): void {
  shown = identity;
}

/**
 * The session that this tab may call with: the stored one, unless it is somebody else's than the data
 * on screen, because another tab has switched a moment ago.
 */
export function sessionToCallWith(): Session | null {
  const stored = currentSession();
  return stored && (shown === null || shown === identityOf(stored)) ? stored : null;
}

/** Why this tab's last session ended; null while there was none. Reading it does not clear it. */
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

function isStored(session: Session): boolean {
  const stored = currentSession();
  return stored !== null && isSame(stored, session) && stored.refreshToken === session.refreshToken;
}

function announce(): void {
  for (const notify of listeners) notify();
}

function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function write(key: string, value: string): void {
  localStorage.setItem(key, value);
}

function remove(key: string): void {
  try {
    localStorage.removeItem(key);
  } catch {
    // Nothing was stored then.
  }
}
