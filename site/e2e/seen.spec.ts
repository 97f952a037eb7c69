import type { Page } from '@playwright/test';
import { open } from './clean';
import { idOf, triggered } from './demo';
import { expect, signIn, test } from './fixtures';
import { declare } from './made';
import { holdScripts } from './slow';

const made = { id: '01993c5e-7f00-7000-8000-00000000ab12', title: 'Closed while it was pending' };

/** Holds what is posted to a path back until the returned function is called, which may refuse it. */
async function hold(
  page: Page,
  path: string | RegExp,
  created: object = { incident: made },
): Promise<(outcome: 'refused' | 'created') => void> {
  let release: (outcome: string) => void = () => undefined;
  const released = new Promise<string>((resolve) => {
    release = resolve;
  });
  await page.route(path, async (route) => {
    if (route.request().method() !== 'POST') return route.fallback();
    if ((await released) === 'created') return route.fulfill({ json: created });
    await route.fulfill({
      status: 409,
      json: { code: 'conflict', message: 'That did not work.', details: [] },
    });
  });
  return release;
}

test.describe('what was pressed before the page could react', () => {
  for (const [button, dialog] of [
    ['Log in', 'Log in'],
    ['Get Early Access', 'Create your account'],
  ] as const) {
    test(`${button} opens its dialog as soon as it can`, async ({ page }) => {
      const release = await holdScripts(page);
      await page.goto('/', { waitUntil: 'commit' });
      await page.getByRole('button', { name: button }).first().click();
      release();
      await expect(page.getByRole('dialog', { name: dialog })).toBeVisible();
    });
  }
});

test.describe('what came of something is seen', () => {
  test.beforeEach(({ page, mara }) => signIn(page, mara));

  test('when a shift could not be taken and its popover is closed', async ({ page }) => {
    await open(page, `/oncall?schedule=${idOf('schedule', 'Backup Support')}`);
    const answer = await hold(page, /\/v1\/schedules\/[^/]+\/overrides/);
    await page.getByRole('row', { name: 'Final schedule' }).getByRole('button').last().click();
    await page.getByRole('button', { name: 'I take it' }).click();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('button', { name: 'I take it' })).toBeHidden();
    answer('refused');
    await expect(page.getByRole('status').filter({ hasText: 'That did not work.' })).toBeVisible();
  });

  for (const outcome of ['refused', 'created'] as const) {
    test(`when Create Incident was closed before it was ${outcome}`, async ({ page }) => {
      await open(page, '/dashboard');
      const answer = await hold(page, '**/v1/incidents');
      await page.getByRole('button', { name: 'Create Incident' }).click();
      const dialog = page.getByRole('dialog', { name: 'Create Incident' });
      await dialog.getByLabel('Title').fill('Closed while it was pending');
      await dialog.getByRole('button', { name: 'Create incident' }).click();
      await expect(dialog.getByRole('button', { name: 'Creating incident...' })).toBeVisible();
      await page.keyboard.press('Escape');
      await expect(dialog).toBeHidden();
      answer(outcome);
      const said = outcome === 'refused' ? 'That did not work.' : 'was created';
      await expect(page.getByRole('status').filter({ hasText: said })).toBeVisible();
      await expect(page).toHaveURL('/dashboard');
    });
  }

  test('when Escape is pressed twice while Snooze is saved, and it is refused', async ({ page }) => {
    await open(page, triggered);
    const answer = await hold(page, '**/snooze');
    await page.getByRole('button', { name: 'Snooze' }).click();
    const dialog = page.getByRole('dialog', { name: 'Snooze' });
    await dialog.getByRole('listitem').getByRole('button').first().click();
    await expect(dialog.locator('p[role=status]')).toBeAttached(); // it saves
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await expect(dialog.getByText(/^Still under way/)).toBeVisible();
    answer('refused');
    await expect(dialog.getByRole('alert')).toContainText('That did not work.');
    await expect(dialog.getByText(/^Still under way/)).toBeHidden();
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
  });

  test('when an API key is made: its secret is shown although Escape was pressed', async ({ page }) => {
    await open(page, '/settings/api-keys');
    const answer = await hold(page, '**/v1/api-keys', { api_key: { id: made.id }, key: 'shown-this-once' });
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Deploy bot');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await expect(dialog.locator('p[role=status]')).toBeAttached(); // it saves
    await page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: 'Close' }).click();
    answer('created');
    await expect(dialog.getByText('shown-this-once')).toBeVisible();
  });

  test('when the page was left by Back before the answer', async ({ page }) => {
    await open(page, '/incidents?q=Checkout payments failing');
    await page.locator(`a[href="${triggered}"]`).first().click();
    const answer = await hold(page, '**/snooze');
    await page.getByRole('button', { name: 'Snooze' }).click();
    await page.getByRole('dialog').getByRole('listitem').getByRole('button').first().click();
    await page.goBack();
    await expect(page.getByRole('dialog')).toBeHidden();
    await expect(page).toHaveURL(/\/incidents\?q=/);
    answer('refused');
    await expect(page.getByRole('status').filter({ hasText: 'That did not work.' })).toBeVisible();
  });

  test('when Logout would lose what is not stored', async ({ page }) => {
    await open(page, '/oncall/schedules/new');
    await page.getByLabel('Name', { exact: true }).fill('Not stored yet');
    await page.getByRole('button', { name: 'Logout' }).click();
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
    await dialog.getByRole('button', { name: 'Stay' }).click();
    await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Not stored yet');
  });

  test('by a screen reader, which knows the region before there is a message', async ({ page }) => {
    await open(page, triggered);
    const regions = page.locator('[role=status]');
    const before = await regions.count();
    expect(await regions.allTextContents(), 'empty, and in the page').toContain('');
    await page.route('**/acknowledge', (route) =>
      route.fulfill({ status: 409, json: { message: 'Not now.' } }),
    );
    await page.getByRole('button', { name: /^Acknowledge/ }).click();
    await expect(regions.filter({ hasText: 'Not now.' })).toBeVisible();
    expect(await regions.count(), 'no region came with its text').toBe(before);
  });
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 } });

  test('the drawer takes the focus, holds it and gives it back', async ({ page, mara }) => {
    await signIn(page, mara);
    await open(page, '/incidents');
    const menu = page.getByRole('button', { name: 'Menu', exact: true });
    const drawer = page.getByRole('complementary', { name: 'Main' });
    await menu.press('Enter');
    await expect(drawer.getByRole('link', { name: 'Incidents' })).toBeFocused();
    for (let i = 0; i < 20; i++) {
      await page.keyboard.press('Tab');
      const outside = await page.evaluate(
        () => document.activeElement?.closest('main, header, a[href="#content"]') !== null,
      );
      expect(outside).toBe(false);
    }
    await page.keyboard.press('Escape');
    await expect(drawer).toBeHidden();
    await expect(menu).toBeFocused();
    await menu.press('Enter');
    await drawer.getByRole('link', { name: 'Services' }).press('Enter');
    await expect(page).toHaveURL('/services');
    await expect(drawer).toBeHidden();
    await expect(page.getByRole('main')).toBeFocused();
  });
});

test.describe('a fault in one card', () => {
  test.use({ expectedFaults: /time value|could not be shown|Error|error/ });

  test('leaves Acknowledge on the page', async ({ page, mara }) => {
    await signIn(page, mara);
    const { path } = await declare(mara);
    // A status that is no word cannot be drawn.
    await page.route(/\/alerts/, (route) =>
      route.fulfill({
        json: {
          alerts: [{ id: 'x', title: 'x', status: { firing: true } }],
          total_count: 1,
          firing_count: 1,
        },
      }),
    );
    await page.goto(path);
    await expect(page.getByText('The linked alerts could not be shown.')).toBeVisible();
    const acknowledge = page.getByRole('button', { name: /^Acknowledge/ });
    await acknowledge.click();
    await expect(page.getByRole('button', { name: 'Resolve' })).toBeVisible();
  });
});
