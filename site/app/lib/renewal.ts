import { exclusively } from './exclusive';
import { settle } from './lease';
import { currentSession, type Session, type SessionUser } from './session';
import { isSame, replaceTokens } from './session-change';

/** What the server says to a refresh token: new tokens, a refusal, or nothing that can be understood. */
export type RefreshAnswer =
  | { kind: 'renewed'; accessToken: string; refreshToken: string; user?: SessionUser }
  | { kind: 'refused' }
  | { kind: 'unclear' };

/** How the renewal of a session ended. `gone`: signed out, or signed in as somebody else, meanwhile. */
export type Renewal = { kind: 'renewed'; session: Session } | { kind: 'refused' | 'unclear' | 'gone' };

// Every call of this tab that meets a 401 at the same moment waits for the same renewal.
const underWay = new Map<string, Promise<Renewal>>();

/**
 * Renews a session whose access token was refused, once for all tabs: a refresh token works once, and
 * using it twice would end the whole sign-in. `ask` sends the refresh token to the server.
 */
export function renew(
  used: Session,
  ask: (refreshToken: string) => Promise<RefreshAnswer>,
): Promise<Renewal> {
  const known = underWay.get(used.accessToken);
  if (known) return known;
  const renewal = exclusively('nightbell_refresh', () => renewAlone(used, ask)).finally(() =>
    underWay.delete(used.accessToken),
  );
  underWay.set(used.accessToken, renewal);
  return renewal;
}

async function renewAlone(
  used: Session,
  ask: (refreshToken: string) => Promise<RefreshAnswer>,
): Promise<Renewal> {
  // Storage is read again here: another tab may have renewed, or signed out, during the wait.
  const stored = currentSession();
  if (!stored || !isSame(stored, used)) return { kind: 'gone' };
  if (stored.accessToken !== used.accessToken) return { kind: 'renewed', session: stored };
  if (stored.refreshToken === '') return { kind: 'refused' };
  let answer = await ask(stored.refreshToken);
  // The same token gives the same successor for 10 seconds, so an answer that was lost is asked for once more.
  if (answer.kind === 'unclear') answer = await ask(stored.refreshToken);
  if (answer.kind === 'renewed') {
    // Another tab may have stored a sign-in while the answer was on its way, which is seen here a moment later.
    await new Promise((seen) => setTimeout(seen, settle));
    replaceTokens(stored, answer);
  }
  if (answer.kind === 'unclear') return answer;
  // What is stored now is right whoever wrote it: this answer, a later sign-in, or nothing after a logout.
  const now = currentSession();
  if (!now || !isSame(now, used)) return { kind: 'gone' };
  if (now.accessToken !== used.accessToken) return { kind: 'renewed', session: now };
  return { kind: 'refused' };
}
