import type { BrowserContext, Page } from '@playwright/test';
import { address, namedAddress } from './address';
import { giveFeed } from './feed';
import { expect, signIn, test } from './fixtures';

// What a page asks again when an event says that something happened.
function renewals(page: Page): string[] {
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/v1/incidents')) asked.push(pathname);
  });
  return asked;
}

async function openTabs(context: BrowserContext, count: number, at = address): Promise<Page[]> {
  await signIn(context);
  const tabs: Page[] = [];
  for (let n = 0; n < count; n++) {
    const page = await context.newPage();
    await page.goto(`${at}/incidents`);
    await expect(page.getByRole('link', { name: /Checkout payments failing/ })).toBeVisible();
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

async function changeSeenBy(tabs: readonly Page[], title: string): Promise<void> {
  const answer = await tabs[0]?.request.post(`${address}/v1/incidents`, {
    data: { title, service_id: 's3', severity: 'low' },
  });
  expect(answer?.ok()).toBe(true);
  for (const page of tabs) await expect(page.getByRole('link', { name: title, exact: true })).toBeVisible();
}

test.describe('seven tabs', () => {
  test('load and follow by one stream', async ({ context }) => {
    const streams: string[] = [];
    context.on('request', (request) => request.url().endsWith('/v1/stream') && streams.push(request.url()));
    const tabs = await openTabs(context, 7);
    await changeSeenBy(tabs, 'Seen by seven');
    expect(streams).toHaveLength(1);
  });
});

test.describe('on plain HTTP by a name', () => {
  test('seven tabs load, follow by one stream, and one of them takes over', async ({ context }) => {
    const streams: string[] = [];
    context.on('request', (request) => request.url().endsWith('/v1/stream') && streams.push(request.url()));
    const tabs = await openTabs(context, 7, namedAddress);
    const [leader, ...others] = tabs;
    expect(await leader?.evaluate(() => navigator.locks === undefined), 'no locks here').toBe(true);
    await changeSeenBy(tabs, 'Seen by seven without locks');
    expect(streams).toHaveLength(1);
    await leader?.close();
    await expect.poll(() => streams.length).toBe(2);
    await changeSeenBy(others, 'Seen by six without locks');
  });
});

test('the tab that reads closes, another takes over, and nothing that happened meanwhile is missed', async ({
  context,
}) => {
  const feed = await giveFeed(context);
  const tabs = await openTabs(context, 3);
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

test('a hidden tab neither reads nor fetches, and is current when it is seen again', async ({ context }) => {
  const feed = await giveFeed(context);
  const [first, second] = (await openTabs(context, 2)) as [Page, Page];
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

function tokenOf(sub: string, org: string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'HS256' })}.${part({ sub, org })}.x`;
}

async function become(page: Page, sub: string, org: string, user = sub): Promise<void> {
  await page.evaluate(
    ([user, token]) => {
      localStorage.setItem('user', user ?? '');
      localStorage.setItem('access_token', token ?? '');
      localStorage.setItem('refresh_token', 'r');
    },
    [JSON.stringify({ id: user, org_id: org, name: 'Mara Lindqvist', role: 'owner' }), tokenOf(sub, org)],
  );
}

test('a stream ends with its account, and the next one belongs to the next account alone', async ({
  context,
}) => {
  const feed = await giveFeed(context);
  const first = await context.newPage();
  await first.goto(`${address}/docs`);
  await become(first, 'u1', 'o1');
  await first.goto(`${address}/incidents`);
  await expect.poll(() => feed.readers()).toBe(1);
  const second = await context.newPage();
  await second.goto(`${address}/incidents`);
  await expect(second.getByRole('link', { name: /Checkout payments failing/ })).toBeVisible();
  // The second tab signs in as somebody else; the first one is told by the storage alone.
  await become(second, 'u2', 'o2');
  await second.reload();
  await expect.poll(() => feed.asked.at(-1)?.bearer).toBe(`Bearer ${tokenOf('u2', 'o2')}`);
  await expect.poll(() => feed.readers()).toBe(1);
  feed.close();
});

test('nothing is followed while the stored person and the token are not the same', async ({ context }) => {
  const feed = await giveFeed(context);
  const page = await context.newPage();
  await page.goto(`${address}/docs`);
  await become(page, 'u1', 'o1');
  await page.goto(`${address}/incidents`);
  await expect.poll(() => feed.readers()).toBe(1);
  // Another tab is at its first of three writes: the token is new, the person is not yet.
  const other = await context.newPage();
  await other.goto(`${address}/docs`);
  await other.evaluate((token) => localStorage.setItem('access_token', token), tokenOf('u2', 'o2'));
  const asked = renewals(page);
  feed.event(60, { incident_id: 'of-another-account' });
  feed.cut();
  // Longer than the first wait before connecting again.
  await page.waitForTimeout(2000);
  expect(feed.readers()).toBe(0);
  await become(other, 'u2', 'o2');
  await expect.poll(() => feed.readers()).toBe(1);
  expect(feed.asked.map(({ bearer }) => bearer)).toEqual([
    `Bearer ${tokenOf('u1', 'o1')}`,
    `Bearer ${tokenOf('u2', 'o2')}`,
  ]);
  expect(asked).not.toContain('/v1/incidents/of-another-account');
  feed.close();
});
