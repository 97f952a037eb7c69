import { expectToFit, open } from './clean';
import { idOf, schedule } from './demo';
import { expect, signIn, test } from './fixtures';
import { declare } from './made';

const hour = 3_600_000;

test.describe('time', () => {
  // Where a browser's own field shows AM and PM.
  test.use({ locale: 'en-US' });
  test.beforeEach(({ page, mara }) => signIn(page, mara));

  for (const [name, path, button] of [
    ['an override', '/oncall', 'Add override'],
    ['a schedule', schedule('24/7 Support'), ''],
    ['a maintenance', '/oncall/maintenance', 'Edit Warehouse moves to its new disks'],
    [
      'a question',
      `/oncall/explain?service=${idOf('service', 'Checkout API')}&severity=high&at=2026-11-23T20:00:00Z`,
      '',
    ],
  ] as const) {
    test(`has 24 hours in every field of ${name}`, async ({ page }) => {
      await open(page, path);
      if (button) await page.getByRole('button', { name: button }).first().click();
      await expect(page.getByPlaceholder('09:00').first()).toHaveValue(/^([01]\d|2[0-3]):[0-5]\d$/);
      await expect(page.locator('input[type=time], input[type=datetime-local]')).toHaveCount(0);
      await expectToFit(page);
    });
  }

  test('of another night has its date', async ({ page, mara }) => {
    const { path } = await declare(mara);
    const entry = (id: string, hoursAgo: number) => ({
      id,
      kind: 'comment',
      actor_kind: 'user',
      message: id,
      at: new Date(Date.now() - hoursAgo * hour).toISOString(),
    });
    await page.route('**/timeline*', (route) =>
      route.fulfill({ json: { entries: [entry('nights ago', 72), entry('lately', 0)] } }),
    );
    await open(page, path);
    const timeOf = (said: string) => page.getByRole('listitem').filter({ hasText: said }).getByRole('time');
    await expect(timeOf('lately')).toHaveText(/^\d\d:\d\d:\d\d$/);
    await expect(timeOf('nights ago')).toHaveText(/^[A-Z][a-z]{2} \d{1,2} [A-Z][a-z]+, \d\d:\d\d:\d\d$/);
  });

  test('of 47 hours ago is not yesterday', async ({ page, mara }) => {
    const { path, id } = await declare(mara);
    const noon = new Date().setHours(12, 0, 0, 0);
    await page.clock.setFixedTime(noon);
    await page.route(`**/v1/incidents/${id}`, async (route) => {
      const { incident } = await (await route.fetch()).json();
      const triggered_at = new Date(noon - 47 * hour).toISOString();
      return route.fulfill({ json: { incident: { ...incident, triggered_at } } });
    });
    await page.goto(path);
    await expect(page.getByText('Opened 2 days ago')).toBeVisible();
  });

  test('has a zone that is found by typing, and is stored', async ({ page }) => {
    await open(page, '/oncall/schedules/new');
    const zone = page.getByRole('combobox', { name: 'Time zone' });
    await zone.focus();
    for (const [typed, name] of [
      ['new york', 'America/New_York'], // one of those that are offered first
      ['sao paulo', 'America/Sao_Paulo'],
    ] as const) {
      await zone.fill(typed);
      await page.keyboard.press('Enter');
      await expect(zone).toHaveValue(name);
      await expect(page.getByText(`on the wall clock of ${name}`).first()).toBeVisible();
    }
  });
});
