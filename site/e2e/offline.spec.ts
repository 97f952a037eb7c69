import { open, settle } from './clean';
import { idOf, triggered } from './demo';
import { expect, signIn, test } from './fixtures';
import { declare } from './made';

test.use({ expectedFaults: /404|409|503|ERR_/ });
test.beforeEach(({ page, mara }) => signIn(page, mara));

test.describe('an Acknowledge', () => {
  test('that is pressed while offline fails at once with a Retry, and is never sent later', async ({
    page,
    context,
    mara,
  }) => {
    const { id, path } = await declare(mara);
    const sent: string[] = [];
    context.on('request', (request) => request.method() === 'POST' && sent.push(request.url()));
    await open(page, path);
    await context.setOffline(true);
    await page.getByRole('button', { name: /^Acknowledge/ }).click();
    const toast = page.getByRole('status').filter({ hasText: 'Failed to acknowledge incident' });
    await expect(toast).toContainText('Network error. Please check your connection and try again.');
    await expect(page.getByRole('button', { name: /^Acknowledge/ })).toBeEnabled();
    const before = sent.length;
    await context.setOffline(false);
    await expect(page.getByText('Not up to date.')).toHaveCount(0);
    await page.reload();
    await expect(page.getByRole('button', { name: /^Acknowledge/ })).toBeVisible();
    expect(sent.length, 'what was sent by itself').toBe(before);
    const { incident } = await mara.get<{ incident: { status: string } }>(`/v1/incidents/${id}`);
    expect(incident.status).toBe('triggered');
  });

  test('is tried again by Retry, and then it is done', async ({ page, context, mara }) => {
    const { path } = await declare(mara);
    await open(page, path);
    await context.setOffline(true);
    await page.getByRole('button', { name: /^Acknowledge/ }).click();
    await expect(page.getByRole('button', { name: 'Retry' })).toBeVisible();
    await context.setOffline(false);
    await page.getByRole('button', { name: 'Retry' }).click();
    await expect(page.getByRole('button', { name: 'Resolve' })).toBeVisible();
    await expect(page.getByText('Failed to acknowledge incident')).toHaveCount(0);
  });

  test('that nobody answers fails visibly', async ({ page }) => {
    await page.route('**/acknowledge', () => new Promise(() => undefined));
    await open(page, triggered);
    await page.getByRole('button', { name: /^Acknowledge/ }).click();
    await expect(page.getByText('Failed to acknowledge incident')).toBeVisible();
    await expect(page.getByText('The server did not answer in time. Please try again.')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Retry' })).toBeVisible();
  });
});

test('what a press opens is there without a network once the page has rested', async ({ page, context }) => {
  const fetched = ['override-dialog', 'shift-popover', 'calendar-feeds'].map((part) =>
    page.waitForResponse((response) => response.url().includes(`/assets/${part}-`)),
  );
  await open(page, `/oncall?schedule=${idOf('schedule', 'Backup Support')}`);
  await Promise.all(fetched);
  await context.setOffline(true);
  await page.getByRole('button', { name: 'Add override' }).click();
  const form = page.getByRole('dialog', { name: 'Add override' });
  await expect(form.getByLabel('Reason')).toBeVisible();
  await page.keyboard.press('Escape');
  await page.getByRole('row', { name: 'Final schedule' }).getByRole('button').last().click();
  await expect(page.getByRole('dialog').getByRole('button', { name: 'I take it' })).toBeVisible();
});

test('every page of the sidebar is there without a network once the page has rested', async ({
  page,
  context,
  mara,
}) => {
  const { path } = await declare(mara);
  const last = page.waitForResponse((response) => response.url().includes('/assets/settings-audit-'));
  await open(page, path);
  await last;
  await settle(page);
  await page.getByLabel('Add a comment').fill('Half written');
  await context.setOffline(true);
  for (const name of ['Analytics', 'Users', 'Services', 'On-Call', 'Integrations']) {
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name }).click();
    await expect(page.getByRole('heading', { level: 1, name: new RegExp(name, 'i') })).toBeVisible();
  }
  for (let back = 0; back < 5; back++) await page.goBack();
  await expect(page.getByLabel('Add a comment')).toHaveValue('Half written');
});
