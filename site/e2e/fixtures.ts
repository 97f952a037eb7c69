import { type BrowserContext, test as base, type ConsoleMessage, expect, type Page } from '@playwright/test';
import { firstPort } from './address';
import type { Caller } from './caller';
import { Nightbell } from './nightbell';
import { followRequests } from './requests';
import { lowerOwner, type Role } from './roles';
import { slowDown } from './slow';

interface Fixtures {
  /** Whether the pages come by a name that is not loopback: then the browser has no locks and no clipboard. */
  byName: boolean;
  /** The owner of the demo workspace. All tests of a worker share this sign-in: never sign out with it. */
  mara: Caller;
  expectedFaults: RegExp;
  /** Errors that scripts of others throw where a test breaks them. Ours throw none. */
  expectedErrors: RegExp;
  quiet: undefined;
}

interface WorkerFixtures {
  /** What Mara may do. Less than owner is for good, so it is a server of its own. */
  role: Role;
  /** The server of this worker. Its tests follow one another, and leave the demo workspace as it was. */
  nightbell: Nightbell;
  /** Changes what Mara may do, on a server where she is not the owner. */
  changeRole: (to: Role) => Promise<void>;
}

async function noChange(): Promise<void> {}

/** A test on the real binary, which fails on any script error, CSP violation, or request to another origin. */
export const test = base.extend<Fixtures, WorkerFixtures>({
  nightbell: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of what it needs there.
    async ({}, use, worker) => {
      const nightbell = await Nightbell.start(firstPort + worker.parallelIndex);
      await use(nightbell);
      await nightbell.stop();
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  changeRole: [
    async ({ nightbell, role }, use) => {
      const change = role === 'owner' ? noChange : await lowerOwner(await nightbell.owner());
      await change(role);
      await use(change);
    },
    { scope: 'worker', auto: true },
  ],
  role: ['owner', { option: true, scope: 'worker' }],
  byName: [false, { option: true }],
  expectedFaults: [/404|409|503/, { option: true }],
  expectedErrors: [/^(?!)/, { option: true }],
  baseURL: ({ nightbell, byName }, use) => use(byName ? nightbell.namedUrl : nightbell.url),
  mara: async ({ nightbell }, use) => use(await nightbell.owner()),
  quiet: [
    async ({ page, context, nightbell, expectedFaults, expectedErrors }, use) => {
      followRequests(context);
      await slowDown(context);
      const faults = noteFaults(page, nightbell, expectedFaults, expectedErrors);
      await use(undefined);
      expect(faults).toEqual([]);
    },
    { auto: true },
  ],
});

/** Notes what a page does that it never should: script errors, refusals of the policy, requests to others. */
export function noteFaults(
  page: Page,
  { url, namedUrl }: Nightbell,
  expected: RegExp,
  errors = /^(?!)/,
): string[] {
  const faults: string[] = [];
  const onConsole = (message: ConsoleMessage) => {
    if (message.type() === 'error' && !expected.test(message.text())) faults.push(message.text());
  };
  page.on('console', onConsole);
  page.on('pageerror', ({ message }) => errors.test(message) || faults.push(message));
  page.on('request', (request) => {
    const own = [url, namedUrl, 'data:', 'blob:', 'about:'].some((start) => request.url().startsWith(start));
    if (!own) faults.push(`request to ${request.url()}`);
  });
  return faults;
}

/** Stores somebody's session and a theme before any page of the test is opened. */
export async function signIn(
  page: Page | BrowserContext,
  { session }: Caller,
  theme = 'dark',
): Promise<void> {
  await page.addInitScript(
    ([user, theme, access, refresh]) => {
      // The mail frame of the inbox has no storage.
      if (window.top !== window) return;
      localStorage.setItem('ui-theme', theme ?? 'dark');
      localStorage.setItem('user', user ?? '');
      localStorage.setItem('access_token', access ?? '');
      localStorage.setItem('refresh_token', refresh ?? '');
    },
    [JSON.stringify(session.user), theme, session.accessToken, session.refreshToken],
  );
}

export { expect };
