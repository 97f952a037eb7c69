import { readJson, send } from '~/lib/api';
import { currentSession } from '~/lib/session';
import { endSession } from '~/lib/session-change';

/** Signs out here at once; the server is told too, and whether it answers does not matter. */
export function logout(): void {
  const session = currentSession();
  endSession('signed-out');
  if (!session?.refreshToken) return;
  const body = { refresh_token: session.refreshToken };
  send({ method: 'POST', path: '/v1/auth/logout', body, action: 'log out' }, session.accessToken)
    // An answer that nobody reads keeps its connection, of which a browser has six.
    .then(readJson)
    .catch(() => undefined);
}
