import { expectClean, open } from './clean';
import { expect, signIn, test } from './fixtures';
import { openIncident } from './sessions';

const acting = /^(Acknowledge|Resolve|Assign|Escalate|Create Incident|Add Service|Post|Select all)/;

test.describe('a viewer', () => {
  test.beforeEach(({ page }) => signIn(page, 'dark', 'viewer'));

  test('is offered nothing that is for responders', async ({ page }) => {
    for (const path of ['/dashboard', '/incidents', await openIncident(page), '/services']) {
      await open(page, path);
      const main = page.getByRole('main');
      await expect(main.getByRole('button', { name: acting })).toHaveCount(0);
      await expect(main.getByRole('checkbox')).toHaveCount(0);
      await expect(main.getByRole('textbox', { name: 'Add a comment' })).toHaveCount(0);
      await expectClean(page);
    }
  });

  test('acknowledges nothing with a key', async ({ page }) => {
    await open(page, '/incidents');
    const sent: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()));
    await page.keyboard.press('j');
    await page.keyboard.press('a');
    await open(page, await openIncident(page));
    await page.keyboard.press('a');
    expect(sent).toEqual([]);
  });
});

test.describe('the role', () => {
  test.use({ expectedFaults: /403/ });

  test('is the one that the server knows, not the one of the sign-in', async ({ page }) => {
    await signIn(page, 'dark', 'owner');
    const me = { id: 'u1', name: 'Mara Lindqvist', email: 'mara@example.com' };
    let role = 'viewer';
    await page.route('**/v1/auth/me', (route) => route.fulfill({ json: { user: { ...me, role } } }));
    await page.goto('/incidents');
    const create = page.getByRole('button', { name: 'Create Incident' });
    await expect(page.getByRole('row').nth(1)).toBeVisible();
    await expect(create).toHaveCount(0);
    role = 'responder';
    await page.reload();
    await expect(create).toBeVisible();
  });

  test('is asked for again when the server refuses something for want of it', async ({ page }) => {
    await signIn(page, 'dark', 'owner');
    const me = { id: 'u1', name: 'Mara Lindqvist', email: 'mara@example.com' };
    let role = 'owner';
    await page.route('**/v1/auth/me', (route) => route.fulfill({ json: { user: { ...me, role } } }));
    await page.route('**/acknowledge', (route) =>
      route.fulfill({
        status: 403,
        json: { code: 'forbidden', message: 'Responders can do that.', details: [] },
      }),
    );
    await open(page, await openIncident(page));
    role = 'viewer';
    await page.getByRole('button', { name: /^Acknowledge/ }).click();
    await expect(page.locator('.toast.failure')).toContainText('Responders can do that.');
    await expect(page.getByRole('button', { name: /^Acknowledge/ })).toHaveCount(0);
  });
});
