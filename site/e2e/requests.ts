import type { BrowserContext, Page, Request } from '@playwright/test';

const requests = new WeakMap<BrowserContext, Set<Request>>();

/** Follows what the pages of a browser ask for, from its beginning on. */
export function followRequests(context: BrowserContext): void {
  const open = new Set<Request>();
  requests.set(context, open);
  context.on('request', (request) => !request.isNavigationRequest() && open.add(request));
  context.on('requestfinished', (request) => open.delete(request));
  context.on('requestfailed', (request) => open.delete(request));
}

/** What a page still waits for from the server. The live feed never ends, so it does not count. */
export function underWay(page: Page): string[] {
  const own = [...(requests.get(page.context()) ?? [])].filter((request) => request.frame().page() === page);
  return own.map((request) => new URL(request.url()).pathname).filter((path) => path !== '/v1/stream');
}
