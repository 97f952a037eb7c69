import type { Request } from '@playwright/test';
import { service, triggered } from '../demo';
import { expect, sentences, test } from './reader';

const routes = [
  ...['/dashboard', '/incidents', '/integrations', '/oncall', '/services'],
  ...[triggered, service('Checkout API')],
];
const named = (path: string) => path.replace(/\/[0-9a-f-]{36}$/, '/{id}');

for (const path of routes) {
  sentences(6, 'access', { path, who: ['visitor'] })(
    `${named(path)} without a session redirects to /`,
    async (page, { caller }) => {
      await expect(page).toHaveURL(`${caller.url}/`);
      await expect(page.getByRole('dialog', { name: 'Log in' })).toBeVisible();
    },
  );
  sentences(2, 'routes', { path, who: ['demo'] })(`${named(path)} is a page`, async (page) => {
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expect(page).toHaveURL(path);
  });
}
for (const path of routes.slice(0, 5))
  sentences(2, 'routes', { path, who: ['empty'] })(`${path} is a page`, async (page) => {
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expect(page).toHaveURL(path);
  });
sentences(2, 'routes', { path: '/', who: ['visitor'] })('/ is the landing page', (page) =>
  expect(page.getByRole('heading', { level: 1 })).toBeVisible(),
);

const missing = sentences(2, 'routes', { path: '/no/such/page', who: ['visitor'] });
missing('any other path shows Oops! Page not found', (page) =>
  expect(page.getByRole('heading', { name: 'Oops! Page not found' })).toBeVisible(),
);
missing('the 404 page has a Return to Home link', (page) =>
  expect(page.getByRole('link', { name: 'Return to Home' })).toHaveAttribute('href', '/'),
);

test('2 routes (bare): a link on the same origin, given as an absolute URL, is internal', async ({
  look,
  nightbell,
}) => {
  const { caller, page } = await look.as('bare');
  const { service: made } = await caller.post<{ service: { id: string } }>('/v1/services', {
    name: 'Written whole',
    runbook_url: `${nightbell.url}/oncall/policies`,
    repo_url: 'https://git.example/whole',
  });
  await page.goto(`/services/${made.id}`);
  const configuration = page.getByRole('region', { name: 'Configuration' });
  await expect(configuration.getByRole('link', { name: 'git.example/whole' })).toHaveAttribute(
    'target',
    '_blank',
  );
  await page.evaluate(() => Object.assign(window, { same: true }));
  await configuration.getByRole('link', { name: '/oncall/policies' }).click();
  await expect(page).toHaveURL('/oncall/policies');
  // The document was not loaded again, and no other tab was opened.
  expect(await page.evaluate(() => 'same' in window)).toBe(true);
  expect(page.context().pages()).toHaveLength(1);
});

const sidebar = sentences(2, 'sidebar', { path: '/dashboard', who: ['demo', 'empty'] });
for (const word of ['Dashboard', 'Incidents', 'On-Call', 'Services', 'Users', 'Analytics', 'Integrations'])
  sidebar(`entry ${word}`, (page) =>
    expect(
      page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: new RegExp(`^${word}`) }),
    ).toBeVisible(),
  );
sidebar('the name of whoever is signed in', (page, { caller }) =>
  expect(page.getByRole('complementary', { name: 'Main' })).toContainText(caller.session.user.name),
);
sidebar('Logout', (page) => expect(page.getByRole('button', { name: 'Logout' })).toBeVisible());
sentences(9, 'sidebar', { path: '/dashboard', who: ['demo'] })(
  'it is 64 units of 4 px wide',
  async (page) => {
    const box = await page.getByRole('complementary', { name: 'Main' }).boundingBox();
    expect(box?.width).toBe(64 * 4);
  },
);

const session = sentences(3, 'stored session', { path: '/dashboard', who: ['demo'] });
for (const key of ['access_token', 'refresh_token', 'user'])
  session(`${key} has a local storage key of its own`, async (page) => {
    expect(await page.evaluate((key) => localStorage.getItem(key), key)).toBeTruthy();
  });
session('the stored user includes the name', async (page, { caller }) => {
  const user = await page.evaluate(() => JSON.parse(localStorage.getItem('user') ?? '{}'));
  expect(user.name).toBe(caller.session.user.name);
});

test('6 calls (demo): every call of a page sends a bearer access token', async ({ look }) => {
  const { page } = await look.as('demo');
  const without: string[] = [];
  let count = 0;
  const note = (request: Request) => {
    const { pathname } = new URL(request.url());
    if (!pathname.startsWith('/v1/')) return;
    count += 1;
    if (!request.headers().authorization?.startsWith('Bearer ')) without.push(pathname);
  };
  page.on('request', note);
  await page.goto('/incidents');
  await expect(page.getByRole('checkbox', { name: 'Select all' })).toBeVisible();
  page.off('request', note);
  expect(without).toEqual([]);
  expect(count).toBeGreaterThan(2);
});
