import { expectClean, open, read, settle } from './clean';
import { expect, signIn, test } from './fixtures';
import { declare } from './made';

test.beforeEach(({ page, mara }) => signIn(page, mara));

test('an incident is snoozed, made less bad, and taken back', async ({ page, mara }) => {
  const { id } = await declare(mara, undefined, { severity: 'high' });
  await open(page, `/incidents/${id}`);
  const details = page.getByLabel('Details');
  await page.getByRole('button', { name: 'Snooze' }).click();
  const dialog = page.getByRole('dialog', { name: 'Snooze' });
  await settle(page);
  await expectClean(page);
  await dialog.getByRole('button', { name: '1 hour' }).click();
  await expect(dialog).toBeHidden();
  await expect(details).toContainText('Acknowledged');
  await expect(details).toContainText(/Snoozed until .*\d\d:\d\d/);
  await expect(page.getByText('Snoozed for 1 hour')).toBeVisible();

  await page.keyboard.press('s');
  const severity = page.getByRole('dialog', { name: 'Severity' });
  await settle(page);
  await expectClean(page);
  await expect(severity.getByRole('button', { name: /High/ })).toHaveAttribute('aria-current', 'true');
  await severity.getByRole('button', { name: /Low/ }).click();
  await expect(severity).toBeHidden();
  await expect(details).toContainText('Low');

  // What becomes worse is asked about, snoozed or not.
  await page.getByRole('button', { name: 'Low, change severity' }).click();
  await severity.getByRole('button', { name: /Critical/ }).click();
  await expect(page.getByRole('status', { name: 'Severity rose' })).toBeVisible();
  await read(page.getByRole('button', { name: 'Acknowledge' }));
  await page.getByRole('button', { name: 'Acknowledge' }).click();
  await expect(page.getByRole('status', { name: 'Severity rose' })).toBeHidden();
  await expect(details).toContainText('Snoozed until'); // only somebody else ends it
  await mara.post(`/v1/incidents/${id}/resolve`, {});
  await expect(page.getByRole('button', { name: 'Snooze' })).toHaveCount(0);
});

test.describe('without an answer', () => {
  test.use({ expectedFaults: /ERR_FAILED/ });
  test('says why it could not be snoozed, and stays open', async ({ page, mara }) => {
    const { id } = await declare(mara, undefined, { severity: 'low' });
    await open(page, `/incidents/${id}`);
    await page.getByRole('button', { name: 'Snooze' }).click();
    await page.route('**/snooze', (route) => route.abort());
    const dialog = page.getByRole('dialog', { name: 'Snooze' });
    await dialog.getByRole('button', { name: '30 minutes' }).click();
    await expect(dialog.getByRole('alert')).toBeVisible();
    await page.unroute('**/snooze');
    await dialog.getByRole('button', { name: '30 minutes' }).click();
    await expect(dialog).toBeHidden();
    await mara.post(`/v1/incidents/${id}/resolve`, {});
  });
});
