import type { Page } from '@playwright/test';
import { expectClean, expectToFit, open } from './clean';
import { expect, incidentPath, signIn, test } from './fixtures';

const steps = (page: Page) => page.locator('.step-editor');
const words = (page: Page) => page.locator('.summary p').first();

test.describe('escalation policies', () => {
  test('are found by name, target or service', async ({ page }) => {
    await signIn(page);
    await open(page, '/oncall/policies');
    await page.getByRole('searchbox').fill('night shift');
    await expect(page.getByRole('row')).toHaveCount(2);
    await page.getByRole('link', { name: 'Data, working hours' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Data, working hours');
    await expect(page.getByText('Then the owners of the workspace are paged.')).toBeVisible();
    await expect(page.getByRole('link', { name: 'Escalation policies' }).last()).toHaveAttribute(
      'aria-current',
      'page',
    );
  });

  test('are written with the keyboard alone', async ({ page }) => {
    await signIn(page);
    await open(page, '/oncall/policies/new');
    await page.getByLabel('Name').focus();
    await page.keyboard.type('Written by hand');
    const first = page.getByRole('combobox', { name: 'Pages' });
    await first.focus();
    await page.keyboard.type('24/7');
    await expect(page.getByRole('option', { name: '24/7 Support', selected: true })).toBeVisible();
    await page.keyboard.press('Enter');
    await expect(words(page)).toHaveText('Pages 24/7 Support at once.');
    await page.getByRole('button', { name: 'Add step' }).press('Enter');
    await steps(page).nth(1).getByRole('combobox', { name: 'Pages' }).focus();
    await page.keyboard.type('jonas');
    await expect(page.getByRole('option', { name: 'Jonas Okafor', selected: true })).toBeVisible();
    await page.keyboard.press('Enter');
    await expect(words(page)).toHaveText('Pages 24/7 Support at once, then Jonas Okafor after 5 min.');
    await steps(page).nth(1).getByRole('spinbutton').focus();
    await page.keyboard.press('Alt+ArrowUp');
    await expect(words(page)).toHaveText('Pages Jonas Okafor at once, then 24/7 Support after 5 min.');
    await expect(steps(page).first().locator(':focus')).toHaveCount(1);
    await page.getByRole('button', { name: 'Move step 1 down' }).press('Enter');
    await expect(words(page)).toHaveText('Pages 24/7 Support at once, then Jonas Okafor after 5 min.');
    await page.getByRole('button', { name: 'Save policy' }).press('Enter');
    await expect(page).toHaveURL(/\/oncall\/policies\/p\d+$/);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Written by hand');
    await expect(page.getByRole('button', { name: 'Save policy' })).toHaveCount(0);
  });

  test('say what is missing, and ask before changes are lost', async ({ page }) => {
    await signIn(page);
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
    await signIn(page);
    await open(page, '/oncall/policies/p4');
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete policy' }).click();
    await expect(page.getByRole('alert')).toHaveText(
      'Identity is in use. Give its services another policy first.',
    );
  });

  test('are read, not written, by viewers', async ({ page }) => {
    await signIn(page, 'dark', 'viewer');
    for (const path of ['/oncall/policies', '/oncall/policies/p3', '/oncall/teams', '/oncall/maintenance']) {
      await open(page, path);
      const main = page.getByRole('main');
      await expect(
        main.getByRole('button', { name: /Create|Plan|Delete|Edit|Save|End now|Call off/ }),
      ).toHaveCount(0);
      await expect(main.getByRole('link', { name: 'Create policy' })).toHaveCount(0);
      await expectClean(page);
    }
  });
});

test.describe('teams', () => {
  test('are created, changed, and kept while a policy pages them', async ({ page }) => {
    await signIn(page);
    await open(page, '/oncall/teams');
    await page.getByRole('button', { name: 'Create team' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Mobile');
    await dialog.getByRole('combobox').click();
    await dialog.getByRole('option', { name: 'Priya Raman' }).click();
    await dialog.getByRole('button', { name: 'Create team' }).click();
    await expect(page.getByRole('row', { name: /Mobile/ })).toContainText('Priya Raman');
    await page.getByRole('button', { name: 'Edit Mobile' }).click();
    await dialog.getByRole('button', { name: 'Remove Priya Raman' }).click();
    await dialog.getByRole('button', { name: 'Save team' }).click();
    await expect(page.getByRole('row', { name: /Mobile/ })).toContainText('Nobody yet');
    await page.getByRole('button', { name: 'Delete Platform' }).click();
    await dialog.getByRole('button', { name: 'Delete team' }).click();
    await expect(dialog.getByRole('alert')).toContainText('Identity pages this team.');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Delete Mobile' }).click();
    await dialog.getByRole('button', { name: 'Delete team' }).click();
    await expect(page.getByRole('row', { name: /Mobile/ })).toHaveCount(0);
  });
});

test.describe('maintenance', () => {
  test('is planned for services, and ended with a word about what it holds', async ({ page }) => {
    await signIn(page);
    await open(page, '/oncall/maintenance');
    await page.getByRole('button', { name: 'Plan maintenance' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Description').fill('Index rebuild');
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
    await expect(underWay.getByRole('listitem').filter({ hasText: 'Index rebuild' })).toContainText(
      'Search Index',
    );
    await page.getByRole('button', { name: 'End now Index rebuild' }).click();
    await expect(dialog).toContainText('It holds no incident.');
    await dialog.getByRole('button', { name: 'End now' }).click();
    await expect(page.getByRole('region', { name: 'Ended' })).toContainText('Index rebuild');
    await page.getByRole('button', { name: /^End now Database upgrade/ }).click();
    await expect(dialog).toContainText('2 open incidents are held.');
  });
});

test.describe('who would be paged', () => {
  test('is asked from the service, answered, and shared by its address', async ({ page }) => {
    await signIn(page);
    await open(page, '/services/s1');
    await page.getByRole('link', { name: 'Who would be paged?' }).click();
    await expect(page).toHaveURL('/oncall/explain?service=s1');
    await expect(page.getByRole('combobox', { name: 'Service' })).toHaveValue('s1');
    await page.getByLabel('Severity').selectOption('low');
    await page.getByRole('button', { name: 'Pick' }).click();
    await page.getByLabel(/^At,.*: date/).fill('2026-11-23');
    await page.getByLabel(/^At,.*: time/).fill('04:30');
    await expect(page).toHaveURL(/severity=low&at=2026-11-2\dT\d\d%3A30%3A00.000Z$/);
    const answer = page.getByRole('region', { name: 'Answer' });
    await expect(answer).toContainText('On call for 24/7 Support (Day, weekdays) until 20:00');
    await expect(answer).toContainText('nobody is on call for Weekend Coverage');
    await expect(answer).toContainText('Maintenance holds these pages');
    await expect(answer).toContainText('Last resort, round 2');
    await page.reload();
    await expect(page.getByLabel('Severity')).toHaveValue('low');
    await expect(page.getByLabel(/^At,.*: time/)).toHaveValue('04:30');
  });
});

test('an incident says why each person was paged', async ({ page }) => {
  await signIn(page);
  await open(page, incidentPath);
  const why = page.getByRole('group').filter({ hasText: 'On call for 24/7 Support' });
  await expect(why).toHaveCount(1);
  await why.getByText('On call for 24/7 Support').press('Enter');
  await expect(why).toContainText('Rotation');
  await expect(why).toContainText('Day, weekdays');
  await why.getByRole('link', { name: 'Payments, critical' }).click();
  await expect(page).toHaveURL('/oncall/policies/p1');
});

test.describe('at 320', () => {
  test.use({ viewport: { width: 320, height: 640 } });
  for (const path of [
    '/oncall/policies',
    '/oncall/policies/p3',
    '/oncall/teams',
    '/oncall/maintenance',
    '/oncall/explain?service=s1',
    incidentPath,
  ]) {
    test(`${path} does not scroll sideways`, async ({ page }) => {
      await signIn(page);
      await open(page, path);
      await expectToFit(page);
    });
  }
});
