import { readJson, send, tokensOf, userOf } from '~/lib/api';
import { startSession } from '~/lib/session-change';

/** Signs in to the demo workspace as a guest; false where the server has none, or none for guests. */
export async function enterDemo(): Promise<boolean> {
  const response = await send({ method: 'POST', path: '/v1/auth/demo', body: {}, action: 'enter the demo' });
  const answer = await readJson(response);
  const tokens = tokensOf(answer);
  const user = userOf(answer);
  if (!response.ok || !tokens || !user) return false;
  startSession({ user, accessToken: tokens.access_token, refreshToken: tokens.refresh_token });
  return true;
}
