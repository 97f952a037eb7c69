import type { GetIncidentResponseJson } from '@nightbell/proto';
import type { Page } from '@playwright/test';
import { expectClean, open } from './clean';
import { idOf, service, triggered } from './demo';
import { expect, signIn, test } from './fixtures';
import { declare, nameOf } from './made';

test.beforeEach(({ page, mara }) => signIn(page, mara));

const field = (page: Page) => page.getByRole('combobox', { name: 'Find anything' });

test.describe('the command palette', () => {
  test('opens with Ctrl+K on every page, finds by typing, and leads there', async ({ page }) => {
    await open(page, '/dashboard');
    await page.keyboard.press('Control+k');
    await expect(field(page)).toBeFocused();
    await expect(page.getByRole('option', { name: /Checkout/ }).first()).toBeVisible();
    await expectClean(page);
    await field(page).fill('24/7');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(new RegExp(`/oncall/schedules/${idOf('schedule', '24/7 Support')}`));
    await page.keyboard.press('Control+k');
    await field(page).fill('authent');
    await page.getByRole('option', { name: /^Authentication Service/ }).click();
    await expect(page).toHaveURL(new RegExp(service('Authentication Service')));
    await expect(field(page)).toHaveCount(0);
  });

  test('finds resolved incidents by asking the server, and says when nothing matches', async ({
    page,
    mara,
  }) => {
    const { id } = await declare(mara, 'Palette finds a closed one', { severity: 'low' });
    await mara.post(`/v1/incidents/${id}/resolve`, { message: 'done' });
    await open(page, '/services');
    await page.getByRole('button', { name: 'Find', exact: true }).click();
    await field(page).fill('palette finds');
    await expect(page.getByRole('group', { name: 'Older incidents' })).toContainText(
      'Palette finds a closed one',
    );
    await field(page).fill('zzzz nothing');
    await expect(page.getByRole('status').getByText('Nothing matches "zzzz nothing".')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('button', { name: 'Find', exact: true })).toBeFocused();
  });

  test('acknowledges with Ctrl+Enter', async ({ page, mara }) => {
    const { id } = await declare(mara, 'Taken from the palette', { severity: 'low' });
    await open(page, '/dashboard');
    await page.keyboard.press('Control+k');
    await field(page).fill('taken from');
    await expect(page.getByRole('option', { name: /Taken from the palette/ })).toBeVisible();
    await page.keyboard.press('Control+Enter');
    await expect(field(page)).toHaveCount(0);
    await expect
      .poll(async () => (await mara.get<GetIncidentResponseJson>(`/v1/incidents/${id}`)).incident?.status)
      .toBe('acknowledged');
    await mara.post(`/v1/incidents/${id}/resolve`, { message: 'done' });
  });
});

test.describe('the keys', () => {
  test('lead from page to page, and are listed as they are bound', async ({ page }) => {
    await open(page, '/dashboard');
    await page.keyboard.press('g');
    await page.keyboard.press('i');
    await expect(page).toHaveURL(/\/incidents$/);
    await page.keyboard.press('?'); // perhaps before the list is drawn: the dialog follows what is bound
    const keys = page.getByRole('dialog', { name: 'Keys' });
    await expect(keys.getByRole('region', { name: 'In a list' })).toContainText('Row before');
    await expect(keys.getByRole('region', { name: 'On an incident' })).toHaveCount(0);
    await expectClean(page);
    await page.keyboard.press('Escape');
    await open(page, triggered);
    await page.keyboard.press('?');
    await expect(keys.getByRole('region', { name: 'On an incident' })).toContainText('Escalate');
  });

  test('are silent once they are turned off, but for Ctrl+K', async ({ page }) => {
    await open(page, '/dashboard');
    await page.keyboard.press('?');
    await page.getByRole('button', { name: 'Turn off' }).click();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.keyboard.press('?');
    await page.keyboard.press('g');
    await page.keyboard.press('i');
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await expect(page).toHaveURL(/\/dashboard$/);
    await page.keyboard.press('Control+k');
    await expect(field(page)).toBeFocused();
  });
});

test('an incident that is created from the palette is shown, and no dialog before it', async ({ page }) => {
  await open(page, '/services');
  await page.keyboard.press('Control+k');
  await field(page).fill('create incident');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Create Incident' });
  const title = nameOf('Created from the palette');
  await dialog.getByLabel('Title').fill(title);
  await dialog.getByLabel('Severity').selectOption('low');
  await dialog.getByRole('button', { name: 'Create incident' }).click();
  await expect(page.getByRole('heading', { name: title })).toBeVisible();
  await expect(dialog).toHaveCount(0);
});

test('the icon of the tab counts what nobody has acknowledged', async ({ page }) => {
  await open(page, '/dashboard');
  await expect(page.locator('link[rel="icon"]')).toHaveAttribute('href', /^data:image\/svg/);
});

test('the site can be put on a home screen', async ({ page, request }) => {
  await open(page, '/dashboard');
  const address = await page.locator('link[rel="manifest"]').getAttribute('href');
  const answer = await request.get(address ?? '');
  expect(answer.headers()['content-type']).toContain('application/manifest+json');
  const manifest: { icons: { src: string }[]; start_url: string } = await answer.json();
  for (const { src } of manifest.icons)
    expect((await request.get(src)).headers()['content-type']).toBe('image/png');
  expect((await request.get(manifest.start_url)).ok()).toBe(true);
});

test('an incident on paper is light, and shows no button', async ({ page }) => {
  await open(page, triggered);
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.emulateMedia({ media: 'print' });
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');
  await expect(page.getByRole('main').getByRole('button')).toHaveCount(0);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Timeline' })).toBeVisible();
  await page.emulateMedia({ media: 'screen' });
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
});

test.describe('the form for a new incident', () => {
  test.use({ expectedFaults: /ERR_|dynamically imported/ });

  test('stands before its file has come, which a lost connection only delays', async ({ page }) => {
    let come = () => {};
    const slow = new Promise<void>((resolve) => {
      come = resolve;
    });
    let lost = true;
    await page.route(/\/create-incident-dialog-[^/]*\.js/, async (route) => {
      if (lost) return route.abort();
      await slow;
      await route.continue();
    });
    await open(page, '/incidents');
    const press = page.getByRole('button', { name: 'Create Incident' });
    const dialog = page.getByRole('dialog', { name: 'Create Incident' });
    await press.click();
    await expect(page.getByText('The form could not be shown.')).toBeVisible();
    await expect(dialog).toHaveCount(0);
    lost = false;
    await press.click();
    await expect(dialog).toBeVisible();
    await expect(dialog.getByLabel('Title')).toHaveCount(0);
    come();
    await expect(dialog.getByLabel('Title')).toBeFocused();
    await page.keyboard.type('Disk');
    await expect(dialog.getByLabel('Title')).toHaveValue('Disk');
  });
});
