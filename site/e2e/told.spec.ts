import type { Page } from '@playwright/test';
import { open, read } from './clean';
import { expect, signIn, test } from './fixtures';
import { declare } from './made';

test.beforeEach(({ page, mara }) => signIn(page, mara));

const heard = (page: Page) => page.locator('[data-announced]');

test.describe('who presses by keys goes on where the next button stands, and hears what was done', () => {
  test('on an incident', async ({ page, mara }) => {
    const { path, id } = await declare(mara);
    await open(page, path);
    await page.getByLabel('Add a comment').press('A');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect(heard(page)).toHaveText('Comment posted');
    await expect(page.getByRole('button', { name: 'Post' })).toBeFocused();
    await page.getByRole('button', { name: 'Acknowledge', exact: true }).press('Enter');
    await expect(heard(page)).toHaveText(`Acknowledged #${id.slice(-4)}`);
    const resolve = page.getByRole('button', { name: 'Resolve', exact: true });
    await expect(resolve).toBeFocused();
    await read(resolve);
    await resolve.press('Enter');
    await expect(heard(page)).toHaveText(`Resolved #${id.slice(-4)}`);
    await expect(page.getByRole('main')).toBeFocused();
  });

  test('in the list', async ({ page, mara }) => {
    const { id } = await declare(mara);
    const short = `#${id.slice(-4)}`;
    await open(page, '/incidents');
    await page.getByRole('button', { name: `Acknowledge ${short}` }).press('Enter');
    await expect(page.getByRole('button', { name: `Resolve ${short}` })).toBeFocused();
    await page.getByRole('checkbox', { name: `Select ${short}` }).check();
    await page.getByRole('button', { name: 'Resolve 1' }).press('Enter');
    await expect(heard(page)).toHaveText(`Resolved ${short}`);
    await expect(page.getByRole('main')).toBeFocused();
  });

  test('where the row goes', async ({ page, mara }) => {
    const { id } = await declare(mara);
    await open(page, '/incidents?filter=open');
    await page.getByRole('button', { name: `Acknowledge #${id.slice(-4)}` }).press('Enter');
    await expect(heard(page)).toHaveText(`Acknowledged #${id.slice(-4)}`);
    await expect(page.getByRole('main')).toBeFocused();
  });
});

test('a mouse that pressed Acknowledge leaves nothing for Enter to press', async ({ page, mara }) => {
  await open(page, (await declare(mara)).path);
  await page.getByRole('button', { name: 'Acknowledge', exact: true }).click();
  const resolve = page.getByRole('button', { name: 'Resolve', exact: true });
  await read(resolve);
  await expect(resolve).not.toBeFocused();
});
