import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { address } from './address';
import { open } from './clean';
import { expect, incidentPath, signIn, test } from './fixtures';

const client = join(import.meta.dirname, '../build/client');

test.describe('public pages', () => {
  test('work with JavaScript off', async ({ browser }) => {
    const page = await browser.newPage({ javaScriptEnabled: false });
    await page.goto(address);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('The bell that wakes the right person.');
    await page.getByRole('link', { name: 'Docs' }).first().click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Documentation');
    await page.close();
  });

  test('answer unknown paths with the 404 page and status', async ({ page }) => {
    const response = await page.goto('/no/such/page');
    expect(response?.status()).toBe(404);
    await expect(page.getByRole('heading', { name: 'Oops! Page not found' })).toBeVisible();
    await page.getByRole('link', { name: 'Return to Home' }).click();
    await expect(page).toHaveURL('/');
  });

  test('scroll to a section from the documentation', async ({ page }) => {
    await page.goto('/docs');
    await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Pricing' }).click();
    await expect(page).toHaveURL('/#pricing');
    await expect(page.getByRole('heading', { name: 'Priced per person, not per page' })).toBeInViewport();
  });

  test('weigh less than 110 kB of script on the landing page', () => {
    const html = readFileSync(join(client, 'index.html'), 'utf8');
    const scripts = new Set([...html.matchAll(/\/assets\/[\w.-]+\.js/g)].map(([path]) => path));
    const bytes = [...scripts].reduce((sum, path) => sum + statSync(`${client}${path}.br`).size, 0);
    expect(bytes).toBeLessThan(110_000);
  });

  test('carry no style attribute and no inline event, so a strict policy holds', () => {
    const pages = readdirSync(client, { recursive: true }).filter((name) => String(name).endsWith('.html'));
    for (const page of pages) {
      const markup = readFileSync(join(client, String(page)), 'utf8').replaceAll(
        /<script[\s\S]*?<\/script>/g,
        '',
      );
      expect(markup, String(page)).not.toMatch(/\s(style|on\w+)=/);
    }
  });
});

test.describe('theme', () => {
  for (const [path, scheme, theme] of [
    ['/', 'light', 'light'],
    ['/', 'dark', 'dark'],
    ['/docs', 'light', 'dark'],
  ] as const) {
    test(`${path} on a ${scheme} system starts ${theme} before anything is drawn`, async ({ page }) => {
      await page.emulateMedia({ colorScheme: scheme });
      await page.addInitScript(() => {
        const record = () =>
          document.body && Object.assign(window, { first: document.documentElement.dataset.theme });
        new MutationObserver((_, observer) => record() && observer.disconnect()).observe(document, {
          childList: true,
          subtree: true,
        });
      });
      await page.goto(path);
      expect(await page.evaluate(() => (window as unknown as { first: string }).first)).toBe(theme);
      await expect(page.locator('html')).toHaveAttribute('data-theme', theme);
    });
  }
});

test.describe('signing in', () => {
  test('leads to the dashboard, and Logout back', async ({ page }) => {
    await open(page, '/');
    await page.getByRole('button', { name: 'Log in' }).click();
    await expect(page.getByLabel('Email', { exact: true }).last()).toBeFocused();
    await page.keyboard.type('mara@example.com');
    await page.keyboard.press('Tab');
    await page.keyboard.type('secret');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('button', { name: 'redirecting...' })).toBeDisabled();
    await expect(page).toHaveURL('/dashboard');
    await page.getByRole('button', { name: 'Logout' }).click();
    await expect(page).toHaveURL('/');
    expect(
      await page.evaluate(() =>
        ['user', 'access_token', 'refresh_token'].map((key) => localStorage.getItem(key)),
      ),
    ).toEqual([null, null, null]);
  });

  test('returns to the incident that a mail pointed to', async ({ page }) => {
    await page.goto(incidentPath);
    await expect(page).toHaveURL('/');
    const dialog = page.getByRole('dialog', { name: 'Log in' });
    await expect(dialog).toContainText('Log in to see this page.');
    await dialog.getByLabel('Email').fill('mara@example.com');
    await dialog.getByLabel('Password').fill('secret');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(incidentPath);
  });
});

test.describe('incidents', () => {
  test.beforeEach(({ page }) => signIn(page));

  // Incidents that other tests open meanwhile would move the rows.
  const standStill = (page: Page) => page.route('**/v1/stream', (route) => route.fulfill({ status: 204 }));

  test('draws a thousand rows as a few, and filters them while typing', async ({ page }) => {
    await standStill(page);
    await open(page, '/incidents');
    await expect(page.getByText(/1000 of 1000 shown/)).toBeVisible();
    const drawn = await page.getByRole('row').count();
    expect(drawn).toBeGreaterThan(20);
    expect(drawn).toBeLessThan(70);
    await page.keyboard.press('/');
    await page.keyboard.type('worker 999');
    await expect(page.getByText(/\b1 (of 1000 )?shown/)).toBeVisible();
    await expect(page).toHaveURL(/q=worker\+999/);
  });

  test('reaches the last row with the keyboard', async ({ page }) => {
    await standStill(page);
    await open(page, '/incidents');
    await expect(page.getByRole('link', { name: 'Checkout payments failing in eu-west-1' })).toBeVisible();
    await page.keyboard.press('j');
    await expect(page.locator('a.title').first()).toBeFocused();
    for (let i = 0; i < 60; i++) await page.keyboard.press('j');
    await expect(page.locator('[aria-rowindex="62"] a.title')).toBeFocused();
    const reached = await page.locator('[aria-rowindex="62"] a.title').textContent();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { level: 1 })).toContainText(reached ?? 'nothing');
  });

  test('name the tab after the incident, opened directly or from the list', async ({ page }) => {
    await page.goto(incidentPath);
    await expect(page).toHaveTitle('#c41e Checkout payments failing in eu-west-1 - Nightbell');
    await page.getByRole('link', { name: 'Incidents' }).first().click();
    await expect(page).toHaveTitle('Incidents - Nightbell');
    await expect(page.locator('#content')).toBeFocused();
  });

  test('are acknowledged again when they became more severe', async ({ page }) => {
    // Only this test changes it.
    await open(page, '/incidents');
    await expect(page.getByRole('button', { name: 'Acknowledge #5be2 again' })).toBeVisible();
    await page.getByRole('link', { name: 'Replication lag on orders-replica-2 above 90 s' }).click();
    const rose = page.getByRole('status', { name: 'Severity rose' });
    await expect(rose).toContainText('when it was medium; it is high now.');
    await page.getByRole('button', { name: /^Acknowledge again/ }).click();
    await expect(page.getByRole('button', { name: 'Resolve' })).toBeVisible();
    await expect(rose).toHaveCount(0);
  });

  test('change on one screen when somebody acts on another', async ({ page, context }) => {
    // One of its own, because the other tests need theirs to stay as it is.
    const answer = await page.request.post('/v1/incidents', {
      data: { title: 'Seen on two screens', service_id: 's3', severity: 'high' },
    });
    const { incident } = await answer.json();
    const name = `#${incident.id.slice(-4)}`;
    await open(page, '/incidents');
    const other = await context.newPage();
    await signIn(other);
    await open(other, `/incidents/${incident.id}`);
    await expect(page.getByRole('button', { name: `Acknowledge ${name}` })).toBeVisible();
    await other.getByRole('button', { name: /^Acknowledge/ }).click();
    await expect(page.getByRole('button', { name: `Resolve ${name}` })).toBeVisible();
    await expect(other.getByText('Acknowledged by Mara Lindqvist', { exact: true })).toBeVisible();
  });
});
