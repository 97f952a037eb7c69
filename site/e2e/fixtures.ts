import {
  type BrowserContext,
  test as base,
  type ConsoleMessage,
  expect,
  type Page,
  type Request,
} from '@playwright/test';
import { namedAddress } from './address';
import { slowDown } from './slow';

/** The triggered incident of the fake server. */
export const incidentPath = '/incidents/01993c5e-7f00-7000-8000-00000000c41e';

/** An incident of the fake server that a program reported with an error. */
export const reportedPath = '/incidents/01993c5e-7f00-7000-8000-0000000018fa';

/** Stores a session and a theme before any page of the test is opened. */
export async function signIn(page: Page | BrowserContext, theme = 'dark', role = 'owner'): Promise<void> {
  const user = JSON.stringify({ id: 'u1', name: 'Mara Lindqvist', role, email: 'mara@example.com' });
  await page.addInitScript(
    ([user, theme, token]) => {
      // The mail frame of the inbox has no storage.
      if (window.top !== window) return;
      localStorage.setItem('ui-theme', theme ?? 'dark');
      localStorage.setItem('user', user ?? '');
      localStorage.setItem('access_token', token ?? '');
      localStorage.setItem('refresh_token', 'r');
    },
    [user, theme, `a ${role}`],
  );
}

const requests = new WeakMap<BrowserContext, Set<Request>>();

/** What a page still waits for from the server. The live feed never ends, so it does not count. */
export function underWay(page: Page): string[] {
  const own = [...(requests.get(page.context()) ?? [])].filter((request) => request.frame().page() === page);
  return own.map((request) => new URL(request.url()).pathname).filter((path) => path !== '/v1/stream');
}

function follow(context: BrowserContext): void {
  const open = new Set<Request>();
  requests.set(context, open);
  context.on('request', (request) => !request.isNavigationRequest() && open.add(request));
  context.on('requestfinished', (request) => open.delete(request));
  context.on('requestfailed', (request) => open.delete(request));
}

/** A test that fails on any script error, CSP violation, or request to another origin. */
export const test = base.extend<{ quiet: undefined; expectedFaults: RegExp }>({
  expectedFaults: [/404|409|503/, { option: true }],
  quiet: [
    async ({ page, context, expectedFaults }, use) => {
      follow(context);
      await slowDown(context);
      const faults: string[] = [];
      const onConsole = (message: ConsoleMessage) => {
        const expected = expectedFaults.test(message.text());
        if (message.type() === 'error' && !expected) faults.push(message.text());
      };
      page.on('console', onConsole);
      page.on('pageerror', (error) => faults.push(error.message));
      page.on('request', (request) => {
        const own = ['http://127.0.0.1:', namedAddress, 'data:', 'blob:', 'about:'].some((start) =>
          request.url().startsWith(start),
        );
        if (!own) faults.push(`request to ${request.url()}`);
      });
      await use(undefined);
      expect(faults).toEqual([]);
    },
    { auto: true },
  ],
});

export { expect };
