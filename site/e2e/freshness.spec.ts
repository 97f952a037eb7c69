import type { Page } from '@playwright/test';
import { open } from './clean';
import { giveFeed } from './feed';
import { expect, signIn, test } from './fixtures';

test.use({ expectedFaults: /404|409|503|ERR_/ });
test.beforeEach(({ page, mara }) => signIn(page, mara));

const bar = (page: Page) =>
  page
    .getByRole('status')
    .filter({ hasText: /^(Not live|Not up to date|Waiting for the server|Parts of this)/ });
const away = { status: 503, json: { message: 'The database is away. Try again in a moment.' } };

test.describe('the bar', () => {
  test('shows when the feed is silent for 10 s, although its connection is up, and goes when it is heard', async ({
    page,
    context,
  }) => {
    await page.clock.install();
    const feed = await giveFeed(context, { beats: false });
    await open(page, '/incidents');
    await expect.poll(() => feed.readers()).toBe(1);
    feed.beat();
    feed.refuse(true);
    await page.clock.runFor(4000);
    await expect(bar(page)).toHaveCount(0);
    for (let n = 0; n < 7; n++) await page.clock.runFor(1000);
    await expect(bar(page)).toContainText(/Not live. Last update \d\d:\d\d/);
    feed.refuse(false);
    await page.clock.runFor(20_000);
    feed.beat();
    await expect(bar(page)).toHaveCount(0);
    feed.close();
  });

  test('is there right after sleep, before anything is heard again', async ({ page, context }) => {
    await page.clock.install();
    const feed = await giveFeed(context);
    await open(page, '/incidents');
    await expect.poll(() => feed.readers()).toBe(1);
    await expect(bar(page)).toHaveCount(0);
    await context.unroute('**/v1/stream');
    await page.route('**/v1/stream', () => new Promise(() => undefined));
    await page.clock.fastForward(20_000);
    await expect(bar(page)).toContainText('Not live. Last update');
    feed.close();
  });

  test('shows when a fetch that is due failed, and goes when it worked', async ({ page, context }) => {
    const feed = await giveFeed(context);
    await open(page, '/incidents');
    await page.route(/\/v1\/incidents(\?|\/counts)/, (route) => route.fulfill(away));
    feed.event(7, { incident_id: 'i7' });
    await expect(bar(page)).toContainText(/Not up to date. Parts of this page are from \d\d:\d\d/);
    await expect(page.getByRole('table', { name: 'Incidents' }).getByRole('link').first()).toBeVisible();
    await page.unroute(/\/v1\/incidents(\?|\/counts)/);
    await bar(page).getByRole('button', { name: 'Try again' }).click();
    await expect(bar(page)).toHaveCount(0);
    feed.close();
  });

  test('shows when a fetch that is due has no answer for 10 s, however often it is begun again', async ({
    page,
    context,
  }) => {
    await page.clock.install();
    const feed = await giveFeed(context);
    await open(page, '/incidents');
    await page.route(/\/v1\/incidents\/counts/, () => new Promise(() => undefined));
    for (let n = 10; n < 16; n++) {
      feed.event(n, { incident_id: 'i7' });
      await page.clock.runFor(2000);
    }
    await expect(bar(page)).toContainText('Waiting for the server since');
    feed.close();
  });

  test('says nothing of a cache that is merely old', async ({ page, context }) => {
    await page.clock.install();
    const feed = await giveFeed(context);
    await open(page, '/oncall/policies');
    for (let n = 0; n < 40; n++) {
      feed.beat();
      await page.clock.runFor(4000);
    }
    await expect(bar(page)).toHaveCount(0);
    feed.close();
  });
});

test('counts that never loaded are not 0, and nobody is said to be not needed', async ({ page }) => {
  await page.route(/\/v1\/incidents(\?|\/counts|\/metrics)/, (route) =>
    route.fulfill({ status: 409, json: { message: 'Away.' } }),
  );
  await page.goto('/dashboard');
  await expect(page.getByText('Failed to load incidents')).toBeVisible();
  await expect(page.getByText('Failed to load metrics')).toBeVisible();
  for (const name of ['Open Incidents', 'MTTA', 'MTTR'])
    await expect(page.getByRole('region', { name, exact: true })).toHaveText(new RegExp(`^${name}\\s*-$`));
  await expect(page.getByRole('tab', { name: 'Open -' })).toBeVisible();
  await expect(page.getByText('Nobody is needed')).toHaveCount(0);
  await expect(page.getByRole('navigation', { name: 'Pages' }).getByText('number not known')).toBeAttached();
});

test('counts are known and the list is not: what it says of the list is nothing', async ({ page }) => {
  await page.route(/\/v1\/incidents\?/, (route) =>
    route.fulfill({ status: 409, json: { message: 'Away.' } }),
  );
  await page.goto('/dashboard');
  await expect(page.getByText('Failed to load incidents')).toBeVisible();
  await expect(page.getByRole('region', { name: 'Open Incidents' })).toHaveText(/^Open Incidents\s*[1-9]/);
  await expect(page.getByText(/Nobody is needed|No open incidents/)).toHaveCount(0);
});

for (const [path, api, words] of [
  ['/incidents', /\/v1\/incidents\?/, 'Failed to load incidents'],
  ['/dashboard', /\/v1\/incidents\?/, 'Failed to load incidents'],
  ['/services', /\/v1\/services$/, 'Failed to load services'],
] as const) {
  test(`a failed refetch is visible on ${path}, which has data`, async ({ page, context }) => {
    const feed = await giveFeed(context);
    await open(page, path);
    await page.route(api, (route) => route.fulfill(away));
    feed.event(7, { incident_id: 'i7' });
    const note = page.getByRole('alert').filter({ hasText: words });
    await expect(note.first()).toContainText(/Shown as of \d\d:\d\d/);
    await page.unroute(api);
    await note.first().getByRole('button', { name: 'Try again' }).click();
    await expect(note).toHaveCount(0);
    feed.close();
  });
}
