import { ApiError, messageOf, readJson, send, tokensOf, userOf } from '~/lib/api';
import { deviceToken } from '~/lib/device';
import type { Session } from '~/lib/session';

/** What an invitation's link is for. */
export interface Invited {
  email: string;
  org_name: string;
  role: string;
  invited_by_name?: string;
  expires_at: string;
  has_account?: boolean;
}

/** What somebody says who accepts: a name and a zone are asked only of a new account. */
export interface Joining {
  token: string;
  password: string;
  name?: string;
  timezone?: string;
}

/** Reads what the link is for, or throws ApiError with the sentence that says why it leads nowhere. */
export async function readInvitation(token: string): Promise<Invited> {
  const request = {
    method: 'POST',
    path: '/v1/auth/invitation',
    body: { token },
    action: 'read the invitation',
  } as const;
  const response = await send(request);
  const answer = await readJson(response);
  if (response.ok) return answer as unknown as Invited;
  throw new ApiError(
    messageOf(answer) || 'The invitation could not be read. Please try again.',
    response.status,
  );
}

/** Joins and returns the new session without storing it. Throws ApiError with the sentence to show. */
export async function acceptInvitation(joining: Joining): Promise<Session> {
  const body = { ...joining, device: deviceToken() };
  const response = await send({ method: 'POST', path: '/v1/auth/accept-invitation', body, action: 'join' });
  const answer = await readJson(response);
  const tokens = tokensOf(answer);
  const user = userOf(answer);
  if (response.ok && tokens && user) {
    return { user, accessToken: tokens.access_token, refreshToken: tokens.refresh_token };
  }
  throw new ApiError(messageOf(answer) || 'Joining failed. Please try again.', response.status);
}
