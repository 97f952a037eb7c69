import type { SwitchOrganizationResponseJson } from '@nightbell/proto';
import { ApiError, call, readJson, send, tokensOf, userOf } from '~/lib/api';
import { giveUpDrafts } from '~/lib/kept-draft';
import { currentSession } from '~/lib/session';
import { isSame, startSession } from '~/lib/session-change';

/**
 * Goes on in another organization of the account, and says whether it did: not where somebody logged out or
 * signed in meanwhile. Tokens are good for one organization: there is a new session, and the one that is not
 * gone on with is logged out, whether or not that is answered.
 */
export async function switchOrganization(orgId: string): Promise<boolean> {
  const before = currentSession();
  const answer = await call<SwitchOrganizationResponseJson>({
    method: 'POST',
    path: '/v1/auth/switch-organization',
    body: { org_id: orgId },
    action: 'switch the organization',
    keepSession: true,
  });
  const [user, tokens] = [userOf(answer), tokensOf(answer)];
  if (!user || !tokens) throw new ApiError('Failed to switch the organization', 0);
  const now = currentSession();
  if (!before || !now || !isSame(before, now)) {
    end(tokens.refresh_token);
    return false;
  }
  // Whoever goes was asked whether they may be lost; where the switch fails, they are still needed.
  giveUpDrafts();
  startSession({ user, accessToken: tokens.access_token, refreshToken: tokens.refresh_token });
  end(now.refreshToken);
  return true;
}

function end(refreshToken: string): void {
  if (!refreshToken) return;
  const body = { refresh_token: refreshToken };
  send({ method: 'POST', path: '/v1/auth/logout', body, action: 'log out' })
    .then(readJson)
    .catch(() => undefined);
}
