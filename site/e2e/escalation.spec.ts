import type { ListMaintenanceWindowsResponseJson } from '@nightbell/proto';
import type { Page } from '@playwright/test';
import { expectToFit, open } from './clean';
import { idOf, policy, service, triggered } from './demo';
import { expect, signIn, test } from './fixtures';
import { addService, declare, nameOf } from './made';

const step = (page: Page, number: number) =>
  page.getByRole('listitem', { name: new RegExp(`^Step ${number} `) });
const words = (page: Page) => page.getByRole('region', { name: 'In words' }).getByRole('paragraph').first();

test.beforeEach(({ page, mara }) => signIn(page, mara));

test.describe('escalation policies', () => {
  test('are found by name, target or service', async ({ page }) => {
    await open(page, '/oncall/policies');
    await page.getByRole('searchbox').fill('night shift');
    await expect(page.getByRole('row')).toHaveCount(2);
    await page.getByRole('link', { name: 'Platform, critical' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Platform, critical');
    await expect(page.getByText(/at most 26 min: the owners of the workspace/)).toBeVisible();
    await expect(page.getByRole('link', { name: 'Escalation policies' }).last()).toHaveAttribute(
      'aria-current',
      'page',
    );
  });

  test('are written with the keyboard alone', async ({ page }) => {
    await open(page, '/oncall/policies/new');
    const name = nameOf('Written by hand');
    await page.getByLabel('Name').focus();
    await page.keyboard.type(name);
    const first = page.getByRole('combobox', { name: 'Pages' });
    await first.focus();
    await page.keyboard.type('24/7');
    await expect(page.getByRole('option', { name: '24/7 Support', selected: true })).toBeVisible();
    await page.keyboard.press('Enter');
    await expect(words(page)).toHaveText('Pages 24/7 Support at once.');
    await page.getByRole('button', { name: 'Add step' }).press('Enter');
    await step(page, 2).getByRole('combobox', { name: 'Pages' }).focus();
    await page.keyboard.type('jonas');
    await expect(page.getByRole('option', { name: 'Jonas Okafor', selected: true })).toBeVisible();
    await page.keyboard.press('Enter');
    await expect(words(page)).toHaveText('Pages 24/7 Support at once, then Jonas Okafor after 5 min.');
    await step(page, 2).getByRole('spinbutton').focus();
    await page.keyboard.press('Alt+ArrowUp');
    await expect(words(page)).toHaveText('Pages Jonas Okafor at once, then 24/7 Support after 5 min.');
    await expect(step(page, 1).locator(':focus')).toHaveCount(1);
    await page.getByRole('button', { name: 'Move step 1 down' }).press('Enter');
    await expect(words(page)).toHaveText('Pages 24/7 Support at once, then Jonas Okafor after 5 min.');
    await page.getByRole('button', { name: 'Save policy' }).press('Enter');
    await expect(page).toHaveURL(/\/oncall\/policies\/[0-9a-f-]{36}$/);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(name);
    await expect(page.getByRole('button', { name: 'Save policy' })).toHaveCount(0);
  });

  test('say what is no time, also in hours that are folded away', async ({ page }) => {
    await open(page, '/oncall/policies/new');
    const folded = step(page, 1).getByText('Applies to');
    await folded.click();
    await step(page, 1).getByRole('button', { name: 'Limit to hours' }).click();
    const from = page.getByLabel('Hours: from');
    await from.fill('25:00');
    await folded.click();
    await expect(from).toBeHidden();
    await page.getByRole('button', { name: 'Save policy' }).click();
    await expect(from).toBeFocused();
  });

  test('say what is missing, and ask before changes are lost', async ({ page }) => {
    await open(page, '/oncall/policies/new');
    await page.getByLabel('Description').fill('Nothing else');
    await page.getByRole('button', { name: 'Save policy' }).click();
    await expect(page.getByText('Give the policy a name.')).toBeVisible();
    await expect(page.getByText('Choose whom this step pages.')).toBeVisible();
    await expect(page.getByLabel('Name')).toBeFocused();
    await page.getByRole('link', { name: 'Teams' }).click();
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
    await dialog.getByRole('button', { name: 'Stay' }).click();
    await expect(page.getByLabel('Description')).toHaveValue('Nothing else');
    await page.getByRole('link', { name: 'Teams' }).click();
    await dialog.getByRole('button', { name: 'Leave without saving' }).click();
    await expect(page).toHaveURL('/oncall/teams');
  });

  test('that are used are not deleted, and the server says why', async ({ page }) => {
    await open(page, policy('Platform, critical'));
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete policy' }).click();
    await expect(page.getByRole('alert')).toHaveText(
      'A service uses this escalation policy. Give the service another policy first.',
    );
  });
});

test.describe('teams', () => {
  test('are created, changed, and kept while a policy pages them', async ({ page }) => {
    const name = nameOf('Mobile');
    await open(page, '/oncall/teams');
    await page.getByRole('button', { name: 'Create team' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill(name);
    await dialog.getByRole('combobox').click();
    await dialog.getByRole('option', { name: 'Priya Raman' }).click();
    await dialog.getByRole('button', { name: 'Create team' }).click();
    await expect(page.getByRole('row', { name: name })).toContainText('Priya Raman');
    await page.getByRole('button', { name: `Edit ${name}` }).click();
    await dialog.getByRole('button', { name: 'Remove Priya Raman' }).click();
    await dialog.getByRole('button', { name: 'Save team' }).click();
    await expect(page.getByRole('row', { name: name })).toContainText('Nobody yet');
    await page.getByRole('button', { name: 'Delete Platform' }).click();
    await dialog.getByRole('button', { name: 'Delete team' }).click();
    await expect(dialog.getByRole('alert')).toContainText(
      'page this team. Remove it from their steps first.',
    );
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: `Delete ${name}` }).click();
    await dialog.getByRole('button', { name: 'Delete team' }).click();
    await expect(page.getByRole('row', { name: name })).toHaveCount(0);
  });
});

test.describe('maintenance', () => {
  test('is planned for services, and ended with a word about what it holds', async ({ page, mara }) => {
    const down = await addService(mara);
    const upgrade = nameOf('Database upgrade');
    await mara.post('/v1/maintenance-windows', {
      description: upgrade,
      ends_at: new Date(Date.now() + 3_600_000).toISOString(),
      service_ids: [down.id],
    });
    for (const _ of [1, 2]) await declare(mara, undefined, { service_id: down.id });
    const rebuild = nameOf('Index rebuild');
    await open(page, '/oncall/maintenance');
    await page.getByRole('button', { name: 'Plan maintenance' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Description').fill(rebuild);
    await dialog.getByRole('button', { name: 'Start maintenance' }).click();
    await expect(dialog.getByRole('alert')).toHaveText('Choose at least one service.');
    await dialog.getByRole('combobox').click();
    await dialog.getByRole('option', { name: 'Search Index' }).click();
    await dialog.getByRole('combobox').click();
    await expect(dialog.getByRole('option').first()).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(dialog.getByRole('option')).toHaveCount(0);
    await expect(dialog).toBeVisible();
    await dialog.getByRole('button', { name: '30 min' }).click();
    await dialog.getByRole('button', { name: 'Start maintenance' }).click();
    await expect(dialog).toBeHidden();
    const underWay = page.getByRole('region', { name: 'Under way' });
    await expect(underWay.getByRole('listitem').filter({ hasText: rebuild })).toContainText('Search Index');
    await page.getByRole('button', { name: `End now ${rebuild}` }).click();
    await expect(dialog).toContainText('It holds no incident.');
    await dialog.getByRole('button', { name: 'End now' }).click();
    await expect(page.getByRole('region', { name: 'Ended' })).toContainText(rebuild);
    await page.getByRole('button', { name: `End now ${upgrade}` }).click();
    await expect(dialog).toContainText('2 open incidents are held.');
  });
});

test.describe('who would be paged', () => {
  test('is asked from the service, answered, and shared by its address', async ({ page, mara }) => {
    const warehouse = idOf('service', 'Data Warehouse');
    // While its disks are moved, as the demo workspace plans it.
    const { maintenance_windows = [] } =
      await mara.get<ListMaintenanceWindowsResponseJson>('/v1/maintenance-windows');
    const planned = maintenance_windows.find(({ service_ids }) => service_ids?.includes(warehouse));
    const during = new Date(Date.parse(planned?.starts_at ?? '') + 30 * 60_000);
    await open(page, service('Data Warehouse'));
    await page.getByRole('link', { name: 'Who would be paged?' }).click();
    await expect(page).toHaveURL(`/oncall/explain?service=${warehouse}`);
    await expect(page.getByRole('combobox', { name: 'Service' })).toHaveValue(warehouse);
    await page.getByLabel('Severity').selectOption('low');
    await page.getByRole('button', { name: 'Pick' }).click();
    const [date, time] = [during.toLocaleDateString('sv-SE'), during.toTimeString().slice(0, 5)];
    await page.getByLabel(/^At,.*: date/).fill(date);
    await page.getByLabel(/^At,.*: time/).fill(time);
    await expect(page).toHaveURL(/severity=low&at=\d{4}-\d\d-\d\dT\d\d%3A30%3A00.000Z$/);
    const answer = page.getByRole('region', { name: 'Answer' });
    await expect(answer).toContainText('Maintenance holds these pages');
    await expect(answer).toContainText(/low/);
    await expect(answer).toContainText('Last resort, round 2');
    await page.reload();
    await expect(page.getByLabel('Severity')).toHaveValue('low');
    await expect(page.getByLabel(/^At,.*: time/)).toHaveValue(time);
  });
});

test('an incident says why each person was paged', async ({ page }) => {
  await open(page, triggered);
  const why = page.getByRole('group').filter({ hasText: 'On call for 24/7 Support' });
  await expect(why).toHaveCount(1);
  await why.getByText('On call for 24/7 Support').press('Enter');
  await expect(why).toContainText('Rotation');
  await expect(why).toContainText(/Night|Weekdays|Weekend/);
  await why.getByRole('link', { name: 'Standard, 5 minutes' }).click();
  await expect(page).toHaveURL(policy('Standard, 5 minutes'));
});

test.describe('at 320', () => {
  test.use({ viewport: { width: 320, height: 640 } });
  for (const [name, path] of [
    ['policies', '/oncall/policies'],
    ['a policy', policy('Platform, critical')],
    ['teams', '/oncall/teams'],
    ['maintenance', '/oncall/maintenance'],
    ['an explanation', `/oncall/explain?service=${idOf('service', 'Checkout API')}`],
    ['an incident', triggered],
  ] as const) {
    test(`${name} does not scroll sideways`, async ({ page }) => {
      await open(page, path);
      await expectToFit(page);
    });
  }
});
