import { currentSession, type Session } from './session';

/**
 * Whose data this browser shows: the person and the organization of the access token, as one word.
 * Null without a session, and while another tab is switching accounts: the stored person and the
 * token are written one after the other.
 */
export function currentIdentity(): string | null {
  const session = currentSession();
  return session && identityByToken(session);
}

/** The identity of a session; null when its token is somebody else's. */
export function identityByToken({ user, accessToken }: Session): string | null {
  const { sub = user.id, org = user.org_id } = claimsOf(accessToken);
  const foreign = (user.id && user.id !== sub) || (user.org_id && user.org_id !== org);
  return foreign ? null : `${org ?? ''}/${sub ?? ''}`;
}

/** The account of an identity, whichever its organization. */
export function accountOf(identity: string): string {
  return identity.slice(identity.lastIndexOf('/') + 1);
}

// Read, not verified: the server does that. A token that is no JWT says nothing.
function claimsOf(token: string): { sub?: string; org?: string } {
  try {
    const payload = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    const claims: unknown = JSON.parse(atob(payload));
    if (typeof claims !== 'object' || claims === null) return {};
    const { sub, org } = claims as Record<string, unknown>;
    return {
      sub: typeof sub === 'string' ? sub : undefined,
      org: typeof org === 'string' ? org : undefined,
    };
  } catch {
    return {};
  }
}
