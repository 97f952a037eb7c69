import { currentSession } from './session';

/** What a member may do; each role may do what those before it may. */
export type Role = 'viewer' | 'responder' | 'admin' | 'owner';

const roles: readonly string[] = ['viewer', 'responder', 'admin', 'owner'];

/**
 * Whether the signed-in person has at least this role. A session of unknown role counts as owner:
 * the server decides, and its refusal is shown.
 */
export function mayAct(least: Role): boolean {
  const role = currentSession()?.user.role;
  return role === undefined || roles.indexOf(role) >= roles.indexOf(least);
}
