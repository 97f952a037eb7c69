import type { Page } from '@playwright/test';
import { expectClean, open } from './clean';
import { expect, signIn, test } from './fixtures';
import { holdScripts } from './slow';

/** The scripts that a page has asked for, by the beginning of their names. */
function scriptsOf(page: Page): string[] {
  const asked: string[] = [];
  page.on('request', (request) => {
    const [, name] = /\/assets\/(.*)\.js$/.exec(request.url()) ?? [];
    if (name) asked.push(name.slice(0, -'-12345678'.length));
  });
  return asked;
}

test.describe('a reader of the landing page', () => {
  test('is sent no React, and has the theme, the sections and the sample', async ({ page }) => {
    const scripts = scriptsOf(page);
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    await open(page, '/');
    const themes = page.getByRole('banner').getByRole('group', { name: 'Theme' });
    await themes.getByRole('button', { name: 'Light' }).click();
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');
    await expect(themes.getByRole('button', { pressed: true })).toHaveAccessibleName('Light');
    const sample = page.getByRole('article', { name: 'Sample incident' });
    await expect(sample).toContainText('04:14');
    await expect(sample).toContainText(/in 00:4[0-6]/);
    await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Pricing' }).click();
    await expect(page).toHaveURL('/#pricing');
    await expect(page.getByRole('heading', { name: 'Priced per person, not per page' })).toBeInViewport();
    await page.goBack();
    await expect(page).toHaveURL('/');
    expect(scripts).toEqual(['front']);
    // React finds the page as it left it: the theme, and the sample where it had come to.
    await sample.getByRole('button', { name: 'Acknowledge' }).click();
    await expect(sample).toContainText('Mara has it.');
    await expect(sample).not.toContainText('04:12');
    await expect(themes.getByRole('button', { pressed: true })).toHaveAccessibleName('Light');
    expect(scripts).toContain('kit');
  });

  test('is sent it when a button is touched, and when somebody is signed in', async ({ page, mara }) => {
    const scripts = scriptsOf(page);
    await open(page, '/');
    await page.getByRole('button', { name: 'Get Early Access' }).first().hover();
    await expect.poll(() => scripts).toContain('kit');
    await signIn(page, mara);
    await page.goto('/');
    await expect(page.getByRole('banner').getByRole('link', { name: 'Dashboard' })).toBeVisible();
  });

  test('is told when what a button needs cannot be loaded, and is heard when it can', async ({ page }) => {
    await page.route(/\/assets\/(?!front).*\.js$/, (route) => route.abort());
    await open(page, '/');
    await page.getByRole('button', { name: 'Log in' }).click();
    await expect(page.getByRole('alert')).toContainText('Check the network, then reload this page.');
    await expect(page.getByRole('button', { name: 'Log in' })).not.toHaveAttribute('aria-busy');
    await expectClean(page);
    await page.unroute(/\/assets\/(?!front).*\.js$/);
    await page.reload();
    await page.getByRole('button', { name: 'Log in' }).click();
    await expect(page.getByRole('dialog', { name: 'Log in' })).toBeVisible();
    await expect(page.getByRole('alert')).toHaveText('');
  });

  test('is told a failure once, may close it, and tries again with a press only', async ({ page }) => {
    let aborted = 0;
    await page.route(/\/assets\/(?!front).*\.js$/, (route) => {
      aborted += 1;
      return route.abort();
    });
    await open(page, '/');
    const alert = page.getByRole('alert');
    const register = page.getByRole('button', { name: 'Get Early Access' }).first();
    await register.hover();
    const quiet = async () => {
      const before = aborted;
      await page.waitForTimeout(300);
      return aborted > 0 && aborted === before;
    };
    await expect.poll(quiet).toBe(true);
    await expect(alert).toHaveText('');
    await register.click();
    await expect(alert).toContainText('Check the network');
    await page.getByRole('button', { name: 'Close' }).click();
    await expect(alert).toHaveText('');
    await expect.poll(quiet).toBe(true);
    const before = aborted;
    const login = page.getByRole('button', { name: 'Log in' });
    await login.hover();
    await login.focus();
    await expect(login).toBeFocused();
    await page.getByRole('link', { name: 'See a demo' }).focus();
    await page.waitForTimeout(300);
    await expect(alert).toHaveText('');
    expect(aborted).toBe(before);
  });

  test('is told that a press takes long, and then sees what it opens', async ({ page }) => {
    let release: () => void = () => undefined;
    const late = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(/\/assets\/(?!front).*\.js$/, async (route) => {
      await late;
      await route.continue();
    });
    await page.route(/\/assets\/login-dialog-.*\.js$/, () => undefined);
    await open(page, '/');
    await page.getByRole('button', { name: 'Log in' }).click();
    await expect(page.getByRole('alert')).toHaveText('Still loading what that needs.');
    release();
    await expect(page.getByRole('status').getByText('Loading what that needs...')).toBeVisible();
    await expect(page.getByRole('alert')).toHaveText('');
  });

  test('stays on the page when a link is pressed without a network', async ({ page, context }) => {
    await open(page, '/');
    await context.setOffline(true);
    await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Docs' }).click();
    await expect(page.getByRole('alert')).toHaveText('There is no network. Try again when there is.');
    await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Pricing' }).click();
    await expect(page).toHaveURL('/#pricing');
  });

  test('gets to the content with the keyboard', async ({ page }) => {
    await open(page, '/');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    const inMain = () => page.evaluate(() => document.activeElement?.closest('main') !== null);
    await expect.poll(inMain).toBe(true);
  });

  test('has every button also where the small script is missing', async ({ page }) => {
    await page.route(/\/assets\/front-.*\.js$/, (route) => route.abort());
    await page.goto('/');
    await page.getByRole('button', { name: 'Log in' }).click();
    await expect(page.getByRole('dialog', { name: 'Log in' })).toBeVisible();
  });

  test('keeps the page when a dialog cannot be loaded', async ({ page }) => {
    await page.route(/\/assets\/login-dialog-.*\.js$/, (route) => route.abort());
    await open(page, '/');
    await page.getByRole('button', { name: 'Log in' }).click();
    await expect(page.getByRole('status').getByText('That could not be loaded.')).toBeVisible();
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  });

  test('on a phone closes the menu by choosing from it', async ({ page }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    const scripts = scriptsOf(page);
    await open(page, '/');
    await page.getByRole('button', { name: 'Menu' }).click();
    const menu = page.getByRole('navigation', { name: 'Menu' });
    await menu.getByRole('link', { name: 'Wearable' }).click();
    await expect(menu).toBeHidden();
    await expect(page.getByRole('heading', { name: 'Answer from your wrist' })).toBeInViewport();
    expect(scripts).toEqual(['front']);
  });

  test('may send an address before React is there, and press something else', async ({ page }) => {
    const release = await holdScripts(page);
    await page.goto('/', { waitUntil: 'commit' });
    await page.getByPlaceholder('you@company.com').fill('early@example.com');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Log in' }).click();
    release();
    await expect(page.getByRole('dialog', { name: 'Log in' })).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(
      page.getByRole('status').getByText('We write when there is something to tell.'),
    ).toBeVisible();
    await expect(page.locator('[aria-busy]')).toHaveCount(0);
  });
});

test.use({ expectedFaults: /403|404|503|ERR_FAILED/ });
test.describe('the landing page', () => {
  test('carries the chosen plan into the registration', async ({ page }) => {
    await open(page, '/#pricing');
    await page.getByRole('button', { name: 'Start trial' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create your account' });
    await expect(dialog).toContainText('Professional: free for 14 days.');
    await expectClean(page);
    await dialog.getByLabel('Name').fill('Trial Person');
    await dialog.getByLabel('Email').fill(`trial-${Date.now()}@example.com`);
    await dialog.getByLabel('Password').fill('nine lamps under the bridge');
    const sent = page.waitForRequest('**/v1/auth/register');
    await dialog.getByRole('button', { name: 'Create account' }).click();
    expect((await sent).postDataJSON()).toMatchObject({ plan: 'professional' });
    await expect(dialog).toContainText('Account created! Welcome to Nightbell.');
  });

  test('keeps a question to sales, and what was written when that failed', async ({ page }) => {
    await open(page, '/#pricing');
    await page.getByRole('button', { name: 'Contact sales' }).click();
    const dialog = page.getByRole('dialog', { name: 'Talk to a person' });
    await expect(dialog).toBeVisible();
    await expectClean(page);
    await dialog.getByLabel('Name').fill('Ada Visitor');
    await dialog.getByLabel('Email').fill('ada@example.com');
    await dialog.getByLabel('Message').fill('We are 40 people and our pager is a phone number.');
    await page.route('**/v1/enquiries', (route) => route.fulfill({ status: 503, json: {} }), { times: 1 });
    await dialog.getByRole('button', { name: 'Send' }).click();
    await expect(dialog.getByRole('alert')).toContainText('Please try again.');
    await expect(dialog.getByLabel('Message')).toHaveValue(/40 people/);
    await dialog.getByRole('button', { name: 'Send' }).click();
    await expect(dialog.getByRole('status').getByText('Thank you. A person answers')).toBeVisible();
    await expect(dialog.getByRole('button', { name: 'Sent' })).toBeDisabled();
  });

  test('keeps an address for news', async ({ page }) => {
    await open(page, '/');
    await page.getByPlaceholder('you@company.com').fill('reader@example.com');
    await page.getByRole('button', { name: 'Subscribe' }).click();
    await expect(
      page.getByRole('status').getByText('We write when there is something to tell.'),
    ).toBeVisible();
  });

  test('shows the demo in one click, to look at only', async ({ page }) => {
    await open(page, '/');
    await page.getByRole('link', { name: 'See a demo' }).click();
    await expect(page).toHaveURL(/\/dashboard$/);
    await expect(page.getByRole('heading', { name: 'Dashboard' })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Create Incident' })).toHaveCount(0);
    const refused = await page.evaluate(async () => {
      const answer = await fetch('/v1/incidents', {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          Authorization: `Bearer ${localStorage.getItem('access_token')}`,
        },
        body: '{"title":"mischief","severity":"low"}',
      });
      return `${answer.status} ${(await answer.json()).code}`;
    });
    expect(refused).toBe('403 only_looks');
  });

  test('shows its sample where there is no demo for guests', async ({ page }) => {
    await page.route('**/v1/auth/demo', (route) =>
      route.fulfill({ status: 404, json: { code: 'no_demo', message: 'There is no demo workspace here.' } }),
    );
    await open(page, '/');
    await page.getByRole('link', { name: 'See a demo' }).click();
    await expect(page).toHaveURL(/#demo$/);
    await expect(page.getByRole('article', { name: 'Sample incident' })).toBeInViewport();
  });
});
