import { expiredMessage } from './api';
import { paths } from './paths';
import type { SessionEnd } from './session';
import type { SignInRequest } from './sign-in-request';

const deletedMessages: Readonly<Partial<Record<SessionEnd, string>>> = {
  'account-deleted': 'Your account is deleted. Its e-mail address can be registered again.',
  'organization-deleted': 'The organization is deleted. Log in to go on in another of yours.',
};

/** What is said to whoever looked at a path without a session, and where signing in leads from there. */
export function signInAfter(end: SessionEnd | null, path: string): SignInRequest {
  const deleted = end && deletedMessages[end];
  if (deleted) return { from: paths.dashboard, reason: deleted };
  return { from: path, reason: end === 'expired' ? expiredMessage : 'Log in to see this page.' };
}
