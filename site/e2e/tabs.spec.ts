import type { BrowserContext, Page, Request } from '@playwright/test';
import type { Caller } from './caller';
import { giveFeed } from './feed';
import { expect, signIn, test } from './fixtures';
import { declare, nameOf } from './made';

// What a page asks again when an event says that something happened.
function renewals(page: Page): string[] {
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/v1/incidents')) asked.push(pathname);
  });
  return asked;
}

async function openTabs(context: BrowserContext, caller: Caller, count: number): Promise<Page[]> {
  await signIn(context, caller);
  const tabs: Page[] = [];
  for (let n = 0; n < count; n++) {
    const page = await context.newPage();
    await page.goto('/incidents');
    // Other tests' incidents may have pushed any of the demo's out of the rows that are drawn.
    await expect(page.getByRole('table', { name: 'Incidents' }).getByRole('link').first()).toBeVisible();
    tabs.push(page);
  }
  return tabs;
}

// As the browser does when another tab is brought to the front.
function show(page: Page, visible: boolean): Promise<void> {
  return page.evaluate((visible) => {
    Object.defineProperty(document, 'visibilityState', {
      configurable: true,
      get: () => (visible ? 'visible' : 'hidden'),
    });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  }, visible);
}

async function changeSeenBy(tabs: readonly Page[], caller: Caller): Promise<void> {
  const { title } = await declare(caller, nameOf('Seen by all tabs'), { severity: 'low' });
  for (const page of tabs) await expect(page.getByRole('link', { name: title, exact: true })).toBeVisible();
}

/** The streams that are open now. On a busy machine a tab may stand still, and another takes over meanwhile. */
function streamsOf(context: BrowserContext): () => number {
  const open = new Set<Request>();
  context.on('request', (request) => request.url().endsWith('/v1/stream') && open.add(request));
  context.on('requestfinished', (request) => open.delete(request));
  context.on('requestfailed', (request) => open.delete(request));
  return () => [...open].filter((request) => !request.frame().page().isClosed()).length;
}

test.describe('seven tabs', () => {
  test('load and follow by one stream', async ({ context, mara }) => {
    const streams = streamsOf(context);
    const tabs = await openTabs(context, mara, 7);
    await changeSeenBy(tabs, mara);
    await expect.poll(streams).toBe(1);
  });
});

test.describe('on plain HTTP by a name', () => {
  test.use({ byName: true });

  test('seven tabs load, follow by one stream, and one of them takes over', async ({ context, mara }) => {
    const streams = streamsOf(context);
    const tabs = await openTabs(context, mara, 7);
    const [leader, ...others] = tabs;
    expect(await leader?.evaluate(() => navigator.locks === undefined), 'no locks here').toBe(true);
    await changeSeenBy(tabs, mara);
    await expect.poll(streams).toBe(1);
    await leader?.close();
    await expect.poll(streams).toBe(1);
    await changeSeenBy(others, mara);
  });
});

test('the tab that reads closes, another takes over, and nothing that happened meanwhile is missed', async ({
  context,
  mara,
}) => {
  const feed = await giveFeed(context);
  const tabs = await openTabs(context, mara, 3);
  await expect.poll(() => feed.readers()).toBe(1);
  const [leader, second, third] = tabs as [Page, Page, Page];
  const before = [renewals(second), renewals(third)];
  feed.event(41, { incident_id: 'i41' });
  for (const asked of before) await expect.poll(() => asked).toContain('/v1/incidents/counts');
  const seen = [renewals(second), renewals(third)];
  await leader.close();
  feed.event(42, { incident_id: 'i42' });
  await expect.poll(() => feed.asked).toHaveLength(2);
  expect(feed.asked[1]?.after).toBe('41');
  for (const asked of seen) await expect.poll(() => asked).toContain('/v1/incidents/counts');
  expect(feed.readers()).toBe(1);
  feed.close();
});

test('a hidden tab neither reads nor fetches, and is current when it is seen again', async ({
  context,
  mara,
}) => {
  const feed = await giveFeed(context);
  const [first, second] = (await openTabs(context, mara, 2)) as [Page, Page];
  await expect.poll(() => feed.readers()).toBe(1);
  await show(first, false);
  await expect.poll(() => feed.asked.length).toBe(2);
  const [hidden, visible] = [renewals(first), renewals(second)];
  feed.event(50, { incident_id: 'i50' });
  await expect.poll(() => visible).toContain('/v1/incidents/counts');
  expect(hidden).toEqual([]);
  await show(second, false);
  await expect.poll(() => feed.readers()).toBe(0);
  await show(first, true);
  await expect.poll(() => hidden).toContain('/v1/incidents/counts');
  expect(feed.readers()).toBe(1);
  feed.close();
});

async function become(page: Page, { session }: Caller): Promise<void> {
  await page.evaluate(
    ([user, access, refresh]) => {
      localStorage.setItem('user', user ?? '');
      localStorage.setItem('access_token', access ?? '');
      localStorage.setItem('refresh_token', refresh ?? '');
    },
    [JSON.stringify(session.user), session.accessToken, session.refreshToken],
  );
}

test('a stream ends with its account, and the next one belongs to the next account alone', async ({
  context,
  nightbell,
}) => {
  const [ada, grace] = [await nightbell.register(), await nightbell.register()];
  const { title } = await declare(ada);
  const feed = await giveFeed(context);
  const first = await context.newPage();
  await first.goto('/docs');
  await become(first, ada);
  await first.goto('/incidents');
  await expect.poll(() => feed.readers()).toBe(1);
  const second = await context.newPage();
  await second.goto('/incidents');
  await expect(second.getByRole('link', { name: title })).toBeVisible();
  // The second tab signs in as somebody else; the first one is told by the storage alone.
  await become(second, grace);
  await second.reload();
  await expect.poll(() => feed.asked.at(-1)?.bearer).toBe(`Bearer ${grace.session.accessToken}`);
  await expect.poll(() => feed.readers()).toBe(1);
  for (const tab of [first, second]) await expect(tab.getByRole('link', { name: title })).toHaveCount(0);
  feed.close();
});

test('nothing is followed while the stored person and the token are not the same', async ({
  context,
  nightbell,
}) => {
  const [ada, grace] = [await nightbell.register(), await nightbell.register()];
  const feed = await giveFeed(context);
  const page = await context.newPage();
  await page.goto('/docs');
  await become(page, ada);
  await page.goto('/incidents');
  await expect.poll(() => feed.readers()).toBe(1);
  // Another tab is at its first of three writes: the token is new, the person is not yet.
  const other = await context.newPage();
  await other.goto('/docs');
  await other.evaluate((token) => localStorage.setItem('access_token', token), grace.session.accessToken);
  const asked = renewals(page);
  feed.event(60, { incident_id: 'of-another-account' });
  feed.cut();
  // Longer than the first wait before connecting again.
  await page.waitForTimeout(2000);
  expect(feed.readers()).toBe(0);
  await become(other, grace);
  await expect.poll(() => feed.readers()).toBe(1);
  expect(feed.asked.map(({ bearer }) => bearer)).toEqual([
    `Bearer ${ada.session.accessToken}`,
    `Bearer ${grace.session.accessToken}`,
  ]);
  expect(asked).not.toContain('/v1/incidents/of-another-account');
  feed.close();
});
