import {
  announceSession,
  currentSession,
  forgetHalfWritten,
  identityOf,
  leftKey,
  type Session,
  type SessionEnd,
  type SessionUser,
  sessionKeys,
} from './session';

let shown: string | null = null;

/** Whether both are of the same account in the same organization. */
export function isSame(one: Session, other: Session): boolean {
  return identityOf(one) === identityOf(other);
}

/** Stores a new sign-in and tells every listener. */
export function startSession(session: Session): void {
  // Other tabs can read between two writes: without an access token there is no session to mix up.
  const before = currentSession();
  if (before && !isSame(before, session)) remove(sessionKeys.access);
  write(sessionKeys.user, JSON.stringify(session.user));
  write(sessionKeys.refresh, session.refreshToken);
  write(sessionKeys.access, session.accessToken);
  announceSession(null);
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
  write(sessionKeys.refresh, refreshToken);
  write(sessionKeys.access, accessToken);
  if (user) replaceUser(asked, user);
  announceSession();
}

/** Stores what the server says of the signed-in person now, if that is still who is signed in. */
export function replaceUser(asked: Session, user: SessionUser): void {
  const stored = currentSession();
  const renewed = { ...asked, user };
  if (!stored || !isSame(stored, asked) || !isSame(renewed, asked)) return;
  const text = JSON.stringify(user);
  if (localStorage.getItem(sessionKeys.user) === text) return;
  write(sessionKeys.user, text);
  announceSession();
}

/**
 * Forgets the user and both tokens, and in all tabs what was half written, unless the session expired.
 * The reason is kept so that the page can say it. With `only`, nothing happens unless that session is
 * still the stored one.
 */
export function endSession(reason: SessionEnd, only?: Session): void {
  if (only && !isStored(only)) return;
  for (const key of Object.values(sessionKeys)) remove(key);
  announceSession(reason);
  if (reason === 'expired') return;
  forgetHalfWritten();
  write(leftKey, reason);
  remove(leftKey);
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

function isStored(session: Session): boolean {
  const stored = currentSession();
  return stored !== null && isSame(stored, session) && stored.refreshToken === session.refreshToken;
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
