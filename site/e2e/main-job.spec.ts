import type { Page } from '@playwright/test';
import type { Caller } from './caller';
import { open, read, settle } from './clean';
import { expect, test } from './fixtures';
import { declare } from './made';

// What everybody does first at night: log in, open the incident, acknowledge it, resolve it.
test.describe('the main job', () => {
  let ada: Caller;
  let incident: { path: string; id: string; title: string };
  test.beforeEach(async ({ nightbell }) => {
    ada = await nightbell.register();
    incident = await declare(ada, 'Orders stopped');
  });

  test('is done by keyboard alone', async ({ page }) => {
    await open(page, '/');
    await tabTo(page, 'button', 'Log in');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('textbox', { name: 'Email' }).last()).toBeFocused();
    await page.keyboard.type(ada.email);
    await page.keyboard.press('Tab');
    await page.keyboard.type(ada.password);
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL('/dashboard');
    await settle(page);
    await tabTo(page, 'link', incident.title);
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(incident.path);
    await settle(page);
    await tabTo(page, 'button', /^Acknowledge/);
    await page.keyboard.press('Enter');
    await read(page.getByRole('button', { name: 'Resolve' }));
    await settle(page);
    await tabTo(page, 'button', 'Resolve');
    await page.keyboard.press('Enter');
    await expect(
      page
        .getByRole('definition')
        .filter({ hasText: /^Resolved/ })
        .first(),
    ).toBeVisible();
    expect(await statusOf(ada, incident.id)).toBe('resolved');
  });

  test('is done by what a screen reader is told', async ({ page }) => {
    await open(page, '/');
    await page.getByRole('banner').getByRole('button', { name: 'Log in' }).click();
    const dialog = page.getByRole('dialog', { name: 'Log in' });
    await expect(dialog).toMatchAriaSnapshot(`
      - dialog "Log in":
        - banner:
          - heading "Log in" [level=2]
        - textbox "Email"
        - textbox "Password"
        - button "Log in"
    `);
    await dialog.getByRole('textbox', { name: 'Email' }).fill(ada.email);
    await dialog.getByRole('textbox', { name: 'Password' }).fill(ada.password);
    await dialog.getByRole('button', { name: 'Log in' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await page.getByRole('main').getByRole('link', { name: incident.title }).first().click();
    const digits = `#${incident.id.slice(-4)}`;
    const article = page.getByRole('article');
    await expect(article).toMatchAriaSnapshot(`
      - article:
        - heading "${digits} - Orders stopped" [level=1]
        - button "Assign"
        - button "Escalate"
        - button /^Acknowledge/
        - term: Status
        - definition: Triggered
    `);
    await article.getByRole('button', { name: /^Acknowledge/ }).click();
    await expect(article).toMatchAriaSnapshot(`
      - article:
        - button "Resolve"
        - term: Status
        - definition: Acknowledged
    `);
    await read(article.getByRole('button', { name: 'Resolve' }));
    await article.getByRole('button', { name: 'Resolve' }).click();
    await expect(article).toMatchAriaSnapshot(`
      - article:
        - term: Status
        - definition: Resolved
    `);
  });
});

// As somebody without a mouse goes: forward, until it has the focus.
async function tabTo(page: Page, role: 'button' | 'link', name: string | RegExp): Promise<void> {
  const wanted = page.getByRole(role, { name }).first();
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press('Tab');
    if (await wanted.evaluate((element) => element === document.activeElement)) return;
  }
  throw new Error(`Tab does not reach the ${role} ${name}`);
}

async function statusOf(caller: Caller, id: string): Promise<string> {
  const { incident } = await caller.get<{ incident: { status: string } }>(`/v1/incidents/${id}`);
  return incident.status;
}
