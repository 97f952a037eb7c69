import type { BrowserContext, Page, Route } from '@playwright/test';
import { type Caller, logIn, type StoredSession } from './caller';
import { open } from './clean';
import { expect } from './fixtures';
import { declare } from './made';

/** Signs in once, as another tab of the browser would. */
export async function storeSession(page: Page, { session }: { session: StoredSession }) {
  const { user, accessToken, refreshToken } = session;
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

/**
 * From now on an access token counts as expired, as it does after 15 minutes; everything else is the
 * server's. Returns with which tokens something was called, by method and the end of its address.
 */
export async function expire(context: BrowserContext, { session }: Caller) {
  const seen: { method: string; path: string; bearer: string }[] = [];
  await context.route(/\/v1\/(?!auth\/(refresh|login|logout))/, (route) => {
    const request = route.request();
    const bearer = (request.headers().authorization ?? '').replace('Bearer ', '');
    seen.push({ method: request.method(), path: new URL(request.url()).pathname, bearer });
    if (bearer !== session.accessToken) return route.fallback();
    return route.fulfill({ status: 401, json: { code: 'token_expired', message: 'It has expired.' } });
  });
  return (method: string, end = '') =>
    seen.filter((one) => one.method === method && one.path.endsWith(end)).map(({ bearer }) => bearer);
}

/**
 * Holds every refresh back until it is let through to the server. Call it before any page is opened: the
 * site gives a refresh up after 4.5 seconds, which a busy machine takes to bring a test to its release.
 */
export async function holdRefresh(context: BrowserContext) {
  await context.addInitScript(() => {
    AbortSignal.timeout = () => new AbortController().signal;
  });
  const held: Route[] = [];
  let notify: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => {
    notify = resolve;
  });
  let open = false;
  let count = 0;
  await context.route('**/v1/auth/refresh', (route) => {
    count += 1;
    notify();
    if (open) return route.continue();
    held.push(route);
  });
  return {
    /** One was asked for. */
    asked,
    count: () => count,
    /** Lets those go on that wait, and all that come. */
    release: async () => {
      open = true;
      await Promise.all(held.splice(0).map((route) => route.continue()));
    },
  };
}

/** A newer session of the same person in the same browser: what a refresh in another tab brings. */
export function anotherOf({ url, email, password }: Caller): Promise<Caller> {
  return logIn(url, email, password);
}

/** Two tabs need a new access token at the same moment; both go on, and one of them asked for it. */
export async function refreshInTwoTabs(page: Page, context: BrowserContext, caller: Caller): Promise<void> {
  const { path } = await declare(caller);
  const refresh = await holdRefresh(context);
  await storeSession(page, caller);
  const other = await context.newPage();
  const tabs = [page, other];
  for (const tab of tabs) await open(tab, path);
  const bearers = await expire(context, caller);
  for (const tab of tabs) await tab.getByRole('button', { name: /^Acknowledge/ }).click();
  const old = caller.session.accessToken;
  await expect.poll(() => bearers('POST')).toEqual([old, old]);
  await refresh.asked;
  await refresh.release();
  await expect.poll(() => bearers('POST')).toHaveLength(4);
  const { access } = await stored(page);
  expect(access).not.toBe(old);
  expect(bearers('POST')).toEqual([old, old, access, access]);
  expect(refresh.count()).toBe(1);
}
