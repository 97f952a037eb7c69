import type { Page } from '@playwright/test';
import { expectClean, open, settle } from './clean';
import { idOf, schedule } from './demo';
import { expect, signIn, test } from './fixtures';
import { nameOf } from './made';

// Backup Support always has somebody on call, and no test needs it to stay as it was.
const backup = `/oncall?schedule=${idOf('schedule', 'Backup Support')}`;
const shifts = (page: Page) => page.getByRole('row', { name: 'Final schedule' }).getByRole('button');

test.beforeEach(({ page, mara }) => signIn(page, mara));

test('finds schedules by name, description or team', async ({ page }) => {
  await open(page, '/oncall');
  const rows = page.getByRole('table', { name: 'Schedules' }).getByRole('row');
  for (const [text, count] of [
    ['night', 1],
    ['tier 1', 1],
    ['platform', 3],
  ] as const) {
    await page.getByRole('searchbox').fill(text);
    await expect(rows).toHaveCount(1 + count); // the head is a row too
  }
  await page.getByRole('searchbox').fill('nothing like it');
  await expect(page.getByText('No schedule matches "nothing like it".')).toBeVisible();
});

test('gives a shift to the reader in two clicks, and back', async ({ page }) => {
  await open(page, backup);
  const next = shifts(page).last();
  await next.click();
  const popover = page.getByRole('dialog');
  await expect(popover).toBeVisible();
  await settle(page);
  await expectClean(page);
  await popover.getByRole('button', { name: 'I take it' }).click();
  await expect(popover).toBeHidden();
  const taken = shifts(page).filter({ hasText: /Mara|ML/ });
  await expect(taken).toHaveCount(1);
  await taken.click();
  await popover.getByRole('button', { name: 'Delete override' }).click();
  await expect(taken).toHaveCount(0);
});

test('shows nothing of the schedule before under the name of the next', async ({ page }) => {
  await open(page, `/oncall?schedule=${idOf('schedule', 'Night Shift')}`);
  await expect(shifts(page).first()).toBeVisible();
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route(`**/v1/schedules/${idOf('schedule', 'Backup Support')}/timeline?*`, async (route) => {
    await answered;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Backup Support', exact: true }).click();
  await expect(page.getByRole('heading', { name: /^Backup Support/ })).toBeVisible();
  await expect(shifts(page)).toHaveCount(0);
  answer();
  await expect(shifts(page).first()).toBeVisible();
  await expect(shifts(page).filter({ hasText: 'Nobody' })).toHaveCount(0);
});

test('is walked through with arrow keys, and a shift opens and closes by keyboard', async ({ page }) => {
  await open(page, `/oncall?schedule=${idOf('schedule', 'Night Shift')}`);
  await expect(shifts(page).first()).toBeVisible();
  const reachable = page.getByRole('grid').locator('button[tabindex="0"]');
  await expect(reachable).toHaveCount(1);
  await reachable.focus();
  await page.keyboard.press('Home');
  await expect(shifts(page).first()).toBeFocused();
  // At some hours the second one is a gap, and the row below has none to come back from.
  const place = (await shifts(page).nth(1).getAttribute('aria-label'))?.startsWith('Nobody') ? 2 : 1;
  for (let step = 1; step <= place; step++) await page.keyboard.press('ArrowRight');
  const shift = shifts(page).nth(place);
  await expect(shift).toBeFocused();
  // "Tomás Herrera, Mon 20:00 to Tue 08:00. Night": what the name says in the middle, only the tip shows.
  const [, times = ''] = /, (.*)\. /.exec((await shift.getAttribute('aria-label')) ?? '') ?? [];
  await expect(page.getByText(times, { exact: true })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByText(times, { exact: true })).toHaveCount(0);
  await page.keyboard.press('ArrowDown');
  await expect(shift).not.toBeFocused();
  await expect(page.getByRole('grid').locator('button:focus')).toHaveCount(1);
  await page.keyboard.press('ArrowUp');
  await expect(shift).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
  await expect(shift).toBeFocused();
});

test('draws the day of a clock change true to time and says so', async ({ page }) => {
  await open(page, `${backup}&at=2027-03-25T12:00:00Z`);
  await expect(page.getByText('Clocks go forward: Sunday has 23 hours, 01:00 becomes 02:00')).toBeVisible();
  const lefts = await page
    .locator('[aria-hidden=true] > div > span[style*=left]')
    .evaluateAll((days) => days.map((day) => Number.parseFloat((day as HTMLElement).style.left)));
  const widths = lefts.map((left, i) => (lefts[i + 1] ?? 100) - left);
  expect(widths.map((width) => Math.round((width / 100) * 167))).toEqual([24, 24, 24, 23, 24, 24, 24]);
});

test('shows a new schedule before it is saved, and saves it', async ({ page }) => {
  await open(page, '/oncall/schedules/new');
  const name = nameOf('Data on call');
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByLabel('Add a person').selectOption('Jonas Okafor');
  await page.getByLabel('Add a person').selectOption('Priya Raman');
  const preview = page.getByRole('grid', { name: 'Preview of the schedule' });
  await expect(preview.getByRole('button', { name: /^Jonas Okafor/ }).first()).toBeVisible();
  await expect(
    page.getByText(/Somebody is on call all the time from now to the end of \w+ \d+ \w+\./),
  ).toBeVisible();
  await page.getByRole('button', { name: 'Some hours or days' }).click();
  await expect(page.getByText(/^Nobody on call/).first()).toBeVisible();
  await page.getByRole('button', { name: /^Move turn 2, Priya Raman up/ }).click();
  const turns = page.getByRole('group', { name: 'Who takes turns' }).getByRole('listitem');
  await expect(turns.first()).toContainText('Priya Raman');
  await expect(page.getByRole('button', { name: /^Move turn 1, Priya Raman up/ })).toBeFocused();
  await page.getByRole('button', { name: 'Create schedule' }).click();
  await expect(page.getByRole('heading', { name: new RegExp(`^${name}`) })).toBeVisible();
  await page.getByRole('link', { name: `Edit ${name}` }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('button', { name: 'Delete schedule' }).click();
  await expect(page.getByRole('link', { name: `Edit ${name}` })).toHaveCount(0);
});

test('says why a schedule cannot be deleted', async ({ page }) => {
  await open(page, schedule('24/7 Support'));
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('button', { name: 'Delete schedule' }).click();
  await expect(page.getByRole('alert')).toContainText('page this schedule. Remove it from their steps first');
});

test('asks before changes to a schedule are lost', async ({ page }) => {
  await open(page, schedule('Backup Support'));
  const name = page.getByLabel('Name', { exact: true });
  await name.fill('Another name');
  await page.getByRole('link', { name: 'Teams' }).click();
  const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
  await dialog.getByRole('button', { name: 'Stay' }).click();
  // Under an open dialog a field takes no text, and nobody is told.
  await expect(dialog).toBeHidden();
  await expect(name).toHaveValue('Another name');
  await name.fill('Backup Support');
  await page.getByRole('link', { name: 'Teams' }).click();
  await expect(page).toHaveURL('/oncall/teams');
});

test('offers the calendar address, and a new one', async ({ page }) => {
  await open(page, backup);
  await page.getByRole('button', { name: 'Subscribe' }).click();
  const popover = page.getByRole('dialog', { name: 'Calendar feeds' });
  await popover.getByRole('button', { name: 'Make an address' }).last().click();
  await expect(popover.getByLabel('Address of My shifts, all schedules')).toHaveValue(/\.ics$/);
  await settle(page);
  await expectClean(page);
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 } });
  test('shows which of the on-call pages it is on', async ({ page }) => {
    await open(page, '/oncall/contacts');
    const here = page.getByRole('navigation', { name: 'On-call' }).locator('[aria-current="page"]');
    await expect(here).toHaveText('My contact methods');
    await expect(here).toBeInViewport({ ratio: 1 });
  });

  test('is a row for each day, and a shift opens as a sheet', async ({ page }) => {
    await open(page, backup);
    const days = page.getByRole('grid').getByRole('row');
    await expect(days).toHaveCount(7);
    await days.nth(2).getByRole('button').first().click();
    const sheet = page.getByRole('dialog');
    await expect(sheet.getByText(/Europe\/London/)).toBeVisible();
    await settle(page);
    const box = await sheet.boundingBox();
    expect(Math.round((box?.y ?? 0) + (box?.height ?? 0))).toBe(844);
    await expectClean(page);
  });
});
