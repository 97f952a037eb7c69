import { readJson, send, tokensOf, userOf } from '~/lib/api';
import { currentSession } from '~/lib/session';
import { startSession } from '~/lib/session-change';

let entering: Promise<boolean> | undefined;

/** Signs in to the demo workspace as a guest; false where the server has none, or none for guests. Two presses enter once. */
export function enterDemo(): Promise<boolean> {
  entering ??= enter().finally(() => {
    entering = undefined;
  });
  return entering;
}

async function enter(): Promise<boolean> {
  const response = await send({ method: 'POST', path: '/v1/auth/demo', body: {}, action: 'enter the demo' });
  const answer = await readJson(response);
  const tokens = tokensOf(answer);
  const user = userOf(answer);
  // All tabs have one session: whoever signed in meanwhile stays signed in.
  if (currentSession()) return true;
  if (!response.ok || !tokens || !user) return false;
  startSession({ user, accessToken: tokens.access_token, refreshToken: tokens.refresh_token });
  return true;
}
