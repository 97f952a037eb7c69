import { expectClean, open } from './clean';
import { expect, test } from './fixtures';

test.use({ expectedFaults: /403|404|503/ });
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
