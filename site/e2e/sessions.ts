import type { BrowserContext, Page, Route } from '@playwright/test';
import { address } from './address';
import { open } from './clean';
import { expect } from './fixtures';

/** A session as the sign-in leaves it in storage. */
export interface StoredSession {
  user: { id: string; name: string; org_id: string; role: string };
  accessToken: string;
  refreshToken: string;
}

const people = { mara: 'Mara Lindqvist', jonas: 'Jonas Okafor' } as const;

/** A session of one of two people, after so many refreshes. */
export function session(who: keyof typeof people, turn: number): StoredSession {
  const user = { id: who, name: people[who], org_id: `${who}s`, role: 'owner' };
  return { user, accessToken: `${who}-${turn}`, refreshToken: `${who}-${turn}-refresh` };
}

/** Signs in once, as another tab of the browser would. */
export async function storeSession(page: Page, { user, accessToken, refreshToken }: StoredSession) {
  if (page.url() === 'about:blank') await page.goto('/docs');
  const values = { user: JSON.stringify(user), access_token: accessToken, refresh_token: refreshToken };
  await page.evaluate((values) => {
    for (const [key, value] of Object.entries(values)) localStorage.setItem(key, value);
  }, values);
}

/** What is in storage now. */
export function stored(page: Page) {
  return page.evaluate(() => ({
    user: localStorage.getItem('user'),
    access: localStorage.getItem('access_token'),
    refresh: localStorage.getItem('refresh_token'),
  }));
}

/** From now on the server knows only one access token. Returns with which ones it was called, by method. */
export async function acceptOnly(context: BrowserContext, token: string) {
  const seen: { method: string; bearer: string }[] = [];
  await context.route(/\/v1\/(?!auth\/(refresh|login|logout))/, (route) => {
    const bearer = (route.request().headers().authorization ?? '').replace('Bearer ', '');
    seen.push({ method: route.request().method(), bearer });
    if (bearer === token) return route.fallback();
    return route.fulfill({ status: 401, json: { code: 'token_expired', message: 'It has expired.' } });
  });
  return (method: string) => seen.filter((one) => one.method === method).map(({ bearer }) => bearer);
}

/** Holds every refresh back until it is answered. */
export async function holdRefresh(context: BrowserContext) {
  const held: Route[] = [];
  let notify: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => {
    notify = resolve;
  });
  let reply: object | null = null;
  let count = 0;
  const give = (route: Route) => route.fulfill({ json: reply ?? {} });
  await context.route('**/v1/auth/refresh', async (route) => {
    count += 1;
    notify();
    if (reply) await give(route);
    else held.push(route);
  });
  return {
    asked,
    count: () => count,
    answer: async ({ user, accessToken, refreshToken }: StoredSession) => {
      reply = { user, tokens: { access_token: accessToken, refresh_token: refreshToken } };
      await Promise.all(held.splice(0).map(give));
    },
  };
}

/** Opens an incident and returns its address: one of its own, because other tests need theirs to stay as it is. */
export async function openIncident(page: Page): Promise<string> {
  const answer = await page.request.post(`${address}/v1/incidents`, {
    data: { title: 'Nobody else looks at this', tags: { unlisted: 'true' } },
  });
  const { incident } = await answer.json();
  return `/incidents/${incident.id}`;
}

/** Two tabs need a new access token at the same moment; both go on, and one of them asked for it. */
export async function refreshInTwoTabs(page: Page, context: BrowserContext): Promise<void> {
  const path = await openIncident(page);
  await storeSession(page, session('mara', 1));
  const other = await context.newPage();
  const tabs = [page, other];
  for (const tab of tabs) await open(tab, path);
  const refresh = await holdRefresh(context);
  const bearers = await acceptOnly(context, 'mara-2');
  for (const tab of tabs) await tab.getByRole('button', { name: /^Acknowledge/ }).click();
  await expect.poll(() => bearers('POST')).toEqual(['mara-1', 'mara-1']);
  await refresh.asked;
  await refresh.answer(session('mara', 2));
  await expect.poll(() => bearers('POST')).toEqual(['mara-1', 'mara-1', 'mara-2', 'mara-2']);
  expect(refresh.count()).toBe(1);
}
