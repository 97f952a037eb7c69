import { readFileSync } from 'node:fs';
import { send } from './caller';
import { expectCleanIn, expectToFit, settle } from './clean';
import { expect, signIn, test } from './fixtures';
import { looks } from './looks';
import { test as shared } from './spec/reader';

test.describe.configure({ mode: 'parallel' });

/** Every page of the documentation, as its index lists them. */
const listed = [
  ...readFileSync(new URL('../build/client/llms.txt', import.meta.url), 'utf8').matchAll(
    /\((\/docs[^)]*)\.md\)/g,
  ),
].map((found) => found[1] ?? '');
const frameworks = {
  nodejs: ['Express', 'Next.js', 'Koa', 'Fastify', 'NestJS'],
  python: ['Django', 'Flask', 'FastAPI', 'Tornado', 'Pyramid'],
  go: ['Gin', 'Echo', 'Fiber', 'Chi', 'Net/HTTP'],
} as const;

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('every page is readable, with its title, its tree and its neighbours', async ({ page }) => {
    expect(listed.length).toBeGreaterThan(40);
    for (const url of [
      '/docs',
      '/docs/platforms/nodejs',
      '/docs/secrets-setup',
      '/docs/errors',
      '/docs/api',
      '/docs/measured',
    ]) {
      const answer = await page.goto(url);
      expect(answer?.status(), url).toBe(200);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    }
    await page.goto('/docs/quick-setup');
    await expect(
      page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Quick Setup' }),
    ).toHaveAttribute('aria-current', 'page');
    await expect(page.getByRole('link', { name: 'Next Secrets Setup' })).toHaveAttribute(
      'href',
      '/docs/secrets-setup',
    );
    await expect(page.getByRole('button', { name: 'Copy' })).toHaveCount(0);
  });

  test('tabs show one language at a time', async ({ page }) => {
    await page.goto('/docs/sdk-usage-guide');
    const tabs = page.getByRole('radiogroup', { name: /^Shown as/ }).nth(2);
    await expect(page.getByText('await client.triggerIncident({').first()).toBeVisible();
    await tabs.getByRole('radio', { name: 'Python' }).check();
    await expect(page.getByText('client.trigger_incident(').first()).toBeVisible();
    await expect(page.getByText('await client.triggerIncident({').first()).toBeHidden();
  });

  test('the menu of a phone opens and closes', async ({ page }) => {
    await page.setViewportSize({ width: 390, height: 800 });
    await page.goto('/docs/platforms/go');
    const tree = page.getByRole('navigation', { name: 'Pages' });
    await expect(tree).toBeHidden();
    await page.locator('a[href="#tree"]').click();
    await expect(tree).toBeVisible();
    await page.getByRole('link', { name: 'Close the menu' }).click();
    await expect(tree).toBeHidden();
  });
});

test('an unknown page of the documentation is a 404, loaded once', async ({ page }) => {
  const opened: string[] = [];
  page.on('framenavigated', (frame) => opened.push(frame.url()));
  expect((await page.goto('/docs/nowhere'))?.status()).toBe(404);
  await settle(page);
  await expect(page.getByRole('heading', { name: 'Oops! Page not found' })).toBeVisible();
  expect(opened).toHaveLength(1);
});

test('the first page has its blocks and leads home', async ({ page }) => {
  await page.goto('/docs');
  for (const name of [
    'Get started',
    'Popular platforms',
    'Features and guides',
    'Enterprise Ready',
    'Community and support',
  ])
    await expect(page.getByRole('heading', { name, exact: false }).first()).toBeVisible();
  await expect(page.getByRole('link', { name: 'Quick Start' })).toHaveAttribute(
    'href',
    '/docs/sdk-quick-reference',
  );
  await expect(page.getByRole('link', { name: 'Choose Your Platform' })).toHaveAttribute(
    'href',
    '/docs/platforms',
  );
  await page.getByRole('link', { name: 'Back to Home' }).click();
  await expect(page).toHaveURL('/');
  await page.getByRole('link', { name: 'Deploy' }).first().click();
  await expect(page).toHaveURL('/docs#deploy');
});

test('six platforms, three of them popular with what else there is', async ({ page }) => {
  await page.goto('/docs/platforms');
  const main = page.getByRole('main');
  for (const [name, path] of [
    ['Node.js', 'nodejs'],
    ['Python', 'python'],
    ['Go', 'go'],
    ['Java', 'java'],
    ['PHP', 'php'],
    ['Ruby', 'ruby'],
  ] as const)
    await expect(
      main.getByRole('link', { name: name === 'Go' ? 'Go language' : name, exact: true }),
    ).toHaveAttribute('href', `/docs/platforms/${path}`);
  await expect(main.getByText('Popular', { exact: true })).toHaveCount(3);
  await expect(main.getByText('+2 more')).toHaveCount(3);
  await expect(main.getByText('Rails, Sinatra, Hanami, Grape')).toBeVisible();
  await expect(main.getByRole('link', { name: 'Request platform support' })).toBeVisible();
  await expect(main.getByRole('link', { name: 'API reference' })).toHaveAttribute('href', '/docs/api');
});

for (const [platform, names] of Object.entries(frameworks)) {
  test(`the guide for ${platform} switches between five frameworks, and its address keeps the choice`, async ({
    page,
  }) => {
    await page.goto(`/docs/platforms/${platform}`);
    const tree = page.getByRole('navigation', { name: 'Pages' });
    for (const name of names) {
      await tree.getByRole('link', { name, exact: true }).click();
      await expect(page.getByRole('heading', { level: 1, name: `Know when a` })).toContainText(name);
      await page.reload();
      await expect(tree.getByRole('link', { name, exact: true })).toHaveAttribute('aria-current', 'page');
    }
    for (const anchor of ['installation', 'configuration', 'usage'])
      await expect(page.locator(`#${anchor}`)).toBeVisible();
    for (const path of ['performance', 'alerts', 'business-metrics', 'api'])
      await expect(page.getByRole('main').locator(`a[href="/docs/${path}"]`).first()).toBeVisible();
  });
}

test.describe('a copy', () => {
  test.use({ permissions: ['clipboard-read', 'clipboard-write'] });
  const clipboard = () => navigator.clipboard.readText();

  test('takes the code to the letter and shows a tick for two seconds', async ({ page }) => {
    await page.clock.install({ time: 0 });
    await page.goto('/docs/sdk-quick-reference');
    await page.clock.pauseAt(3_600_000);
    const block = page.locator('figure').filter({ hasText: 'make run' });
    await block.getByRole('button', { name: 'Copy' }).click();
    await expect(block.getByRole('button', { name: 'Copied' })).toBeVisible();
    expect(await page.evaluate(clipboard)).toBe(
      'git clone https://github.com/nightbell/nightbell && cd nightbell\nmake run',
    );
    await page.clock.runFor(1900);
    await expect(block.getByRole('button', { name: 'Copied' })).toBeVisible();
    await page.clock.runFor(200);
    await expect(block.getByRole('button', { name: 'Copy', exact: true })).toBeVisible();
  });

  for (const path of ['/docs/quick-setup', '/docs/secrets-setup']) {
    test(`on ${path} says so for two seconds`, async ({ page }) => {
      await page.clock.install({ time: 0 });
      await page.goto(path);
      await page.clock.pauseAt(3_600_000);
      await page.getByRole('button', { name: 'Copy', exact: true }).first().click();
      const said = page.getByText('Copied to clipboard');
      await expect(said).toBeVisible();
      await page.clock.runFor(1900);
      await expect(said).toBeVisible();
      await page.clock.runFor(200);
      await expect(said).toHaveCount(0);
    });
  }

  test('of a name takes the name', async ({ page }) => {
    await page.goto('/docs/secrets-setup');
    await page.getByRole('button', { name: 'Copy NIGHTBELL_JWT_SECRET' }).click();
    await expect.poll(() => page.evaluate(clipboard)).toBe('NIGHTBELL_JWT_SECRET');
  });

  test('of the page takes its Markdown', async ({ page, request }) => {
    await page.goto('/docs/platforms/go/chi');
    await page.getByRole('button', { name: 'Copy as Markdown' }).click();
    await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible();
    const answer = await request.get('/docs/platforms/go/chi.md');
    expect(await page.evaluate(clipboard)).toBe(await answer.text());
    expect(await answer.text()).toContain(
      'router.Use(middleware.Recoverer, nightbellhttp.Middleware(client))',
    );
  });
});

test('the language chosen once is shown on every page', async ({ page }) => {
  await page.goto('/docs/sdk-quick-reference');
  await page.getByRole('radio', { name: 'Go' }).first().check();
  for (const tab of await page.getByRole('radio', { name: 'Go' }).all()) await expect(tab).toBeChecked();
  await page.goto('/docs/performance');
  await expect(page.getByRole('radio', { name: 'Go' }).first()).toBeChecked();
});

test('the dashboard opens in a tab of its own', async ({ page, context }) => {
  await page.goto('/docs/sdk-usage-guide');
  const opened = context.waitForEvent('page');
  await page.getByRole('main').getByRole('link', { name: 'Open Dashboard' }).click();
  expect(new URL((await opened).url()).pathname).toMatch(/^\/(dashboard)?$/);
});

test('search is found, chosen and opened by keyboard', async ({ page }) => {
  await page.goto('/docs/platforms/nodejs');
  await page.keyboard.press('/');
  const field = page.getByRole('combobox', { name: 'Search the docs' });
  await expect(field).toBeFocused();
  await field.fill('api_key_invalid');
  await expect(page.getByRole('option').first()).toBeVisible();
  await field.fill('low order volume');
  const wanted = page.getByRole('option', { name: /Wake somebody when the orders stop/ });
  await expect(wanted).toBeVisible();
  for (let n = 0; n < 8 && (await wanted.getAttribute('aria-selected')) !== 'true'; n++)
    await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL('/docs/business-metrics');
});

test.describe('without its worker', () => {
  test.use({ expectedFaults: /./, expectedErrors: /^Failed to load the Pagefind WASM/ });

  test('search says that it did not start', async ({ page }) => {
    await page.route('**/pagefind-worker.js', (route) => route.abort());
    await page.goto('/docs/platforms/nodejs');
    await page.keyboard.press('/');
    await page.getByRole('combobox', { name: 'Search the docs' }).fill('low order volume');
    await expect(page.getByRole('status').getByText('The search did not start.')).toBeVisible();
  });
});

test('the contents mark the section that is read', async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto('/docs/platforms/nodejs');
  const contents = page.getByRole('complementary', { name: 'On this page' });
  await contents.getByRole('link', { name: 'Slow operations' }).click();
  await expect(page).toHaveURL('/docs/platforms/nodejs#slow');
  await expect(contents.getByRole('link', { name: 'Slow operations' })).toHaveAttribute(
    'aria-current',
    'true',
  );
});

test('the theme is the one of every other page', async ({ page }) => {
  await page.goto('/docs/alerts');
  await page.getByRole('group', { name: 'Theme' }).getByRole('button', { name: 'Light' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');
  await page.goto('/');
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');
});

test('a page weighs little and brings no framework', async ({ page }) => {
  const scripts: string[] = [];
  page.on('request', (request) => request.resourceType() === 'script' && scripts.push(request.url()));
  await page.goto('/docs/platforms/python');
  await page.getByRole('button', { name: 'Copy', exact: true }).first().waitFor();
  expect(scripts).toHaveLength(1);
  const bytes = (await (await page.request.get(scripts[0] ?? '')).body()).length;
  expect(bytes).toBeLessThan(16_000);
});

test.describe('a signed-in reader', () => {
  test.use({ permissions: ['clipboard-read', 'clipboard-write'] });
  test.beforeEach(({ page, mara }) => signIn(page, mara));

  test('finds the own address and key in the examples, and may switch that off', async ({ page }) => {
    await page.goto('/docs/sdk-quick-reference');
    const own = page.getByRole('switch', { name: 'Examples use your own values' });
    await expect(own).toBeChecked();
    const block = page.locator('figure').filter({ hasText: 'NIGHTBELL_SERVICE_KEY=' }).first();
    await expect(block).toContainText(/NIGHTBELL_SERVICE_KEY=nbs_[\w-]{4}…[\w-]{4}/);
    await expect(block).toContainText(`NIGHTBELL_BASE_URL=${new URL(page.url()).origin}`);
    await block.getByRole('button', { name: 'Copy', exact: true }).click();
    await expect(block.getByRole('button', { name: 'Copied' })).toBeVisible();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/=nbs_[\w-]{20,}$/);
    await own.uncheck();
    await expect(block).toContainText('NIGHTBELL_SERVICE_KEY=nbs_your-key');
    await page.reload();
    await expect(own).not.toBeChecked();
    await expect(block).toContainText('NIGHTBELL_SERVICE_KEY=nbs_your-key');
  });
});

test('takes the own key away once the reader has signed out in another tab', async ({
  page,
  context,
  mara,
}) => {
  const other = await context.newPage();
  await signIn(other, mara);
  await other.goto('/docs');
  await page.goto('/docs/sdk-quick-reference');
  const block = page.locator('figure').filter({ hasText: 'NIGHTBELL_SERVICE_KEY=' }).first();
  await expect(block).toContainText(/NIGHTBELL_SERVICE_KEY=nbs_[\w-]{4}…[\w-]{4}/);
  // As signing out does in this browser; on the server it would end the sign-in of all tests.
  await other.evaluate(() => localStorage.clear());
  await expect(block).toContainText('NIGHTBELL_SERVICE_KEY=nbs_your-key');
  await expect(page.getByRole('switch', { name: 'Examples use your own values' })).toHaveCount(0);
  await other.close();
});

test('whoever sends the shown program for real is told when its incident arrives', async ({
  page,
  nightbell,
}) => {
  const reader = await nightbell.register();
  const made = await reader.post<{ service_key: string }>('/v1/services', { name: 'Orders' });
  await signIn(page, reader);
  const looked = page.waitForResponse(/\/v1\/incidents\?service_id=/);
  await page.goto('/docs/sdk-quick-reference');
  await expect(page.getByText('Waiting for your first event from Orders')).toBeVisible();
  await looked;
  await send(
    `${nightbell.url}/v1/events`,
    'POST',
    { title: 'Orders stopped', severity: 'critical' },
    made.service_key,
  );
  await expect(page.getByText('First event received: Orders stopped')).toBeVisible();
  await page.getByRole('link', { name: 'Open it' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Orders stopped');
});

for (const url of [
  '/docs',
  ...listed.filter((one) => !one.startsWith('/docs/decisions/') && one !== '/docs'),
]) {
  // One page for all looks: opening it is much of what a look takes. Both widths have to fit for every change.
  shared(`${url} has no fault that axe can find, and fits`, async ({ look }) => {
    // Pages of the API hold many calls, and axe reads each of their elements.
    if (url.startsWith('/docs/api') || url === '/docs/tested') shared.slow();
    const reader = await look.as('visitor');
    const page = await reader.at(url);
    // The wide one last: the next test finds the page as it was.
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      await expectToFit(page);
      for (const look of looks.filter((one) => one.width === width))
        await shared.step(`at ${width} in ${look.theme}`, () => expectCleanIn(page, look.theme));
    }
    expect(reader.faults()).toEqual([]);
  });
}
