import { ApiError, messageOf, readJson, send, tokensOf, userOf } from '~/lib/api';
import { deviceToken } from '~/lib/device';
import type { Session } from '~/lib/session';

/** Signs in and returns the new session without storing it. Throws ApiError with the sentence to show. */
export async function login(email: string, password: string): Promise<Session> {
  const body = { email, password, device: deviceToken() };
  const response = await send({ method: 'POST', path: '/v1/auth/login', body, action: 'log in' });
  const answer = await readJson(response);
  const tokens = tokensOf(answer);
  const user = userOf(answer);
  if (response.ok && tokens && user) {
    return { user, accessToken: tokens.access_token, refreshToken: tokens.refresh_token };
  }
  throw new ApiError(messageOf(answer) || 'Login failed. Please check your credentials.', response.status);
}
