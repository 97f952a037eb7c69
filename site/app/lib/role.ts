import { createContext, use } from 'react';
import { currentSession } from './session';

/** What a member may do; each role may do what those before it may. */
export type Role = 'viewer' | 'responder' | 'admin' | 'owner';

const roles: readonly string[] = ['viewer', 'responder', 'admin', 'owner'];

/** The role that the workspace is drawn for. */
export const RoleContext = createContext<string | undefined>(undefined);

/**
 * Whether the signed-in person has at least this role. A session of unknown role counts as owner:
 * the server decides, and its refusal is shown.
 */
export function isAtLeast(least: Role): boolean {
  const role = currentSession()?.user.role;
  return role === undefined || roles.indexOf(role) >= roles.indexOf(least);
}

/** The same for what is drawn, which is drawn again once the role changes. */
export function mayAct(least: Role): boolean {
  // Only heard: the session knows it a moment earlier. Unlike other hooks this one may stand in a condition.
  use(RoleContext);
  return isAtLeast(least);
}
