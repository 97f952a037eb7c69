import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Caller } from './caller';
import { open, read } from './clean';
import { crowd } from './crowd';
import { triggered } from './demo';
import { expect, signIn, test } from './fixtures';
import { addService, declare, nameOf, tell } from './made';

const client = join(import.meta.dirname, '../build/client');

test.describe('public pages', () => {
  test('work with JavaScript off', async ({ browser, nightbell }) => {
    const page = await browser.newPage({ javaScriptEnabled: false });
    await page.goto(nightbell.url);
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

  test('ask first for the style sheet that says the order of the layers', () => {
    const pages = readdirSync(client, { recursive: true }).filter((name) => String(name).endsWith('.html'));
    for (const page of pages) {
      const html = readFileSync(join(client, String(page)), 'utf8');
      const [, first] = /<link rel="stylesheet" href="([^"#]+)/.exec(html) ?? [];
      const css = readFileSync(join(client, first ?? ''), 'utf8');
      const layers = [...css.matchAll(/@layer ([a-z, ]+)/g)].flatMap((match) => match[1]?.split(/, ?/) ?? []);
      expect([...new Set(layers)], String(page)).toEqual(['reset', 'tokens', 'base', 'kit', 'page']);
    }
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

// Whoever signs out ends a session, so these have a person of their own.
test.describe('signing in', () => {
  test('leads to the dashboard, and Logout back', async ({ page, nightbell }) => {
    const ada = await nightbell.register();
    await open(page, '/');
    await page.getByRole('button', { name: 'Log in' }).click();
    await expect(page.getByLabel('Email', { exact: true }).last()).toBeFocused();
    await page.keyboard.type(ada.email);
    await page.keyboard.press('Tab');
    await page.keyboard.type(ada.password);
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

  test('returns to the incident that a mail pointed to', async ({ page, nightbell }) => {
    const ada = await nightbell.register();
    const { path, title } = await declare(ada);
    await page.goto(path);
    await expect(page).toHaveURL('/');
    const dialog = page.getByRole('dialog', { name: 'Log in' });
    await expect(dialog).toContainText('Log in to see this page.');
    await dialog.getByLabel('Email').fill(ada.email);
    await dialog.getByLabel('Password').fill(ada.password);
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(path);
    await expect(page.getByRole('heading', { level: 1 })).toContainText(title);
  });
});

test.describe('a thousand incidents', () => {
  let grace: Caller;
  test.beforeAll(async ({ nightbell }) => {
    grace = await nightbell.register();
    await crowd(grace, 1000);
  });
  test.beforeEach(({ page }) => signIn(page, grace));

  test('are drawn as a few rows, and filtered while typing', async ({ page }) => {
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

  test('are reached to the last with the keyboard', async ({ page }) => {
    await open(page, '/incidents');
    const link = (place: number) =>
      page
        .locator(`[aria-rowindex="${place + 1}"]`)
        .getByRole('link')
        .first();
    await expect(link(1)).toBeVisible();
    await page.keyboard.press('j');
    await expect(link(1)).toBeFocused();
    for (let i = 0; i < 60; i++) await page.keyboard.press('j');
    await expect(link(61)).toBeFocused();
    const reached = await link(61).textContent();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { level: 1 })).toContainText(reached ?? 'nothing');
  });
});

test.describe('incidents', () => {
  test('name the tab after the incident, opened directly or from the list', async ({ page, mara }) => {
    await signIn(page, mara);
    await page.goto(triggered);
    await expect(page).toHaveTitle('#c41e Checkout payments failing in eu-west-1 - Nightbell');
    await page.getByRole('link', { name: 'Incidents' }).first().click();
    await expect(page).toHaveTitle('Incidents - Nightbell');
    await expect(page.getByRole('main')).toBeFocused();
  });

  test('are acknowledged again when they became more severe', async ({ page, mara }) => {
    const { key } = await addService(mara);
    const title = nameOf('Grows worse');
    const event = { title, dedup_key: title };
    const { id } = await tell(mara, key, { ...event, severity: 'medium' });
    await mara.post(`/v1/incidents/${id}/acknowledge`);
    await tell(mara, key, { ...event, severity: 'high' });
    await signIn(page, mara);
    await open(page, '/incidents');
    await expect(page.getByRole('button', { name: `Acknowledge #${id.slice(-4)} again` })).toBeVisible();
    await page.getByRole('link', { name: title }).click();
    const rose = page.getByRole('status', { name: 'Severity rose' });
    await expect(rose).toContainText('when it was medium; it is high now.');
    await page.getByRole('button', { name: /^Acknowledge again/ }).click();
    await expect(page.getByRole('button', { name: 'Resolve' })).toBeVisible();
    await expect(rose).toHaveCount(0);
  });

  test('are asked about again when they rose while the button was pressed', async ({ page, mara }) => {
    const { key } = await addService(mara);
    const title = nameOf('Rises unseen');
    const event = { title, dedup_key: title };
    const { id } = await tell(mara, key, { ...event, severity: 'low' });
    await signIn(page, mara);
    await open(page, `/incidents/${id}`);
    await page.route(`**/v1/incidents/${id}/acknowledge`, async (route) => {
      await tell(mara, key, { ...event, severity: 'high' });
      await route.continue();
    });
    await page.getByRole('button', { name: /^Acknowledge/ }).click();
    await expect(page.getByRole('status', { name: 'Severity rose' })).toContainText(
      'when it was low; it is high now.',
    );
    await page.unroute(`**/v1/incidents/${id}/acknowledge`);
    await read(page.getByRole('button', { name: /^Acknowledge again/ }));
    await page.getByRole('button', { name: /^Acknowledge again/ }).click();
    await expect(page.getByRole('button', { name: 'Resolve' })).toBeVisible();
  });

  test('change on one screen when somebody acts on another', async ({ page, context, mara }) => {
    const { id, path } = await declare(mara);
    const name = `#${id.slice(-4)}`;
    await signIn(context, mara);
    await open(page, '/incidents');
    const other = await context.newPage();
    await open(other, path);
    await expect(page.getByRole('button', { name: `Acknowledge ${name}` })).toBeVisible();
    await other.getByRole('button', { name: /^Acknowledge/ }).click();
    await expect(page.getByRole('button', { name: `Resolve ${name}` })).toBeVisible();
    await expect(other.getByText('Acknowledged by Mara Lindqvist', { exact: true })).toBeVisible();
  });
});
