import type { Page } from '@playwright/test';
import { open } from '../clean';
import { incident as demoIncident, service, triggered } from '../demo';
import { signIn } from '../fixtures';
import { expect, test } from './reader';

test.use({ expectedFaults: /404|422/ });
test.beforeEach(({ page, mara }) => signIn(page, mara));

/** The server refuses one kind of call, saying nothing of its own. */
const refuse = (page: Page, method: string, path: RegExp) =>
  page.route(path, (route) =>
    route.request().method() === method ? route.fulfill({ status: 422, body: '' }) : route.fallback(),
  );
const because = 'Unprocessable Entity';

const failures: [
  what: string,
  method: string,
  call: RegExp,
  page: string,
  press: (page: Page) => Promise<unknown>,
][] = [
  ['fetch incidents', 'GET', /\/v1\/incidents\?/, '/incidents', async () => undefined],
  ['fetch services', 'GET', /\/v1\/services$/, '/services', async () => undefined],
  [
    'create incident',
    'POST',
    /\/v1\/incidents$/,
    '/incidents',
    async (page) => {
      await page.getByRole('button', { name: 'Create Incident' }).click();
      await page.getByRole('dialog').getByLabel('Title').fill('Never made');
      await page.getByRole('dialog').getByRole('button', { name: 'Create incident' }).click();
    },
  ],
  [
    'acknowledge incident',
    'POST',
    /\/acknowledge$/,
    triggered,
    (page) =>
      page
        .getByRole('article')
        .getByRole('button', { name: /^Acknowledge/ })
        .click(),
  ],
  [
    'resolve incident',
    'POST',
    /\/resolve$/,
    demoIncident('9a07'),
    (page) => page.getByRole('article').getByRole('button', { name: 'Resolve' }).click(),
  ],
  [
    'create service',
    'POST',
    /\/v1\/services$/,
    '/services',
    async (page) => {
      await page.getByRole('button', { name: 'Add Service' }).click();
      await page.getByRole('dialog').getByLabel('Name').fill('Never added');
      await page.getByRole('dialog').getByRole('button', { name: 'Add service' }).click();
    },
  ],
  [
    'send test alert',
    'POST',
    /\/v1\/webhooks\/prometheus\//,
    service('Checkout API'),
    async (page) => {
      await page.getByRole('button', { name: 'Send test alert' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Send test alert' }).click();
    },
  ],
];
for (const [what, method, call, path, press] of failures)
  test(`8 errors (demo): Failed to ${what}: and the status in words`, async ({ page }) => {
    await refuse(page, method, call);
    await open(page, path);
    await press(page);
    await expect(page.getByText(`Failed to ${what}: ${because}`).first()).toBeVisible();
  });

test('8 errors (demo): Incident not found', async ({ page }) => {
  await page.goto('/incidents/00000000-0000-7000-8000-000000000000');
  await expect(page.getByText('Incident not found')).toBeVisible();
});

test('2 incidents (demo): a list that fails says Failed to load incidents', async ({ page }) => {
  await refuse(page, 'GET', /\/v1\/incidents\?/);
  await page.goto('/incidents');
  await expect(page.getByText('Failed to load incidents').first()).toBeVisible();
});

test('2 incidents (demo): a list that loads says so', async ({ page }) => {
  await page.route(/\/v1\/incidents\?/, () => undefined);
  await page.goto('/incidents');
  await expect(page.getByText('Loading incidents')).toBeAttached();
});
