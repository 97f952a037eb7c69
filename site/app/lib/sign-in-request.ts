/** Sent along when a page that needs a session leads to the landing page. */
export interface SignInRequest {
  /** The path to return to after signing in. */
  from: string;
  /** One sentence that says why. */
  reason: string;
}

/** The request in a router location's state, or null. Only a path of this site is believed. */
export function signInRequest(state: unknown): SignInRequest | null {
  if (typeof state !== 'object' || state === null || !('from' in state) || !('reason' in state)) return null;
  const { from, reason } = state;
  if (typeof from !== 'string' || typeof reason !== 'string') return null;
  return /^\/(?![/\\])/.test(from) ? { from, reason } : null;
}
