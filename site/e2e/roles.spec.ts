import { expectClean, open } from './clean';
import { idOf, policy, service, triggered } from './demo';
import { expect, signIn, test } from './fixtures';
import { declare } from './made';

// Mara has signed in as the owner, and what she may do was changed after that.
test.use({ role: 'viewer', expectedFaults: /403|404/ });
test.beforeEach(({ page, mara }) => signIn(page, mara));
test.afterEach(({ changeRole }) => changeRole('viewer'));

const acting =
  /^(Acknowledge|Resolve|Assign|Escalate|Create|Add|Post|Select all|Plan|Delete|Edit|Save|End now|Call off|Invite|Change|Remove)/;

test.describe('a viewer', () => {
  test('is offered nothing that is for responders and admins', async ({ page }) => {
    for (const path of [
      '/dashboard',
      '/incidents',
      triggered,
      '/services',
      service('Checkout API'),
      '/oncall/policies',
      policy('Platform, critical'),
      '/oncall/teams',
      '/oncall/maintenance',
      '/users',
    ]) {
      await open(page, path);
      const main = page.getByRole('main');
      await expect(main.getByRole('button', { name: acting })).toHaveCount(0);
      await expect(main.getByRole('link', { name: /^(Create|Edit)/ })).toHaveCount(0);
      await expect(main.getByRole('checkbox')).toHaveCount(0);
      await expect(main.getByRole('textbox', { name: 'Add a comment' })).toHaveCount(0);
      await expectClean(page);
    }
  });

  test('is not offered the key of a service', async ({ page }) => {
    for (const path of ['/integrations', service('Checkout API')]) {
      await open(page, path);
      const main = page.getByRole('main');
      await expect(main.getByText(/shown to responders/).first()).toBeVisible();
      await expect(main.getByRole('button', { name: /the key$/ })).toHaveCount(0);
    }
    await expect(page.getByRole('link', { name: 'Open webhooks' })).toHaveCount(0);
  });

  test('acknowledges nothing with a key', async ({ page }) => {
    const sent: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()));
    await open(page, '/incidents');
    await page.keyboard.press('j');
    await page.keyboard.press('a');
    await open(page, triggered);
    await page.keyboard.press('a');
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox', { name: 'Find anything' });
    await field.fill('create');
    await expect(page.getByRole('status').getByText('Nothing matches "create".')).toBeVisible();
    await field.fill('incidents');
    await expect(page.getByRole('option').first()).toBeVisible();
    await page.keyboard.press('Control+Enter');
    expect(sent).toEqual([]);
  });

  test('looks at a schedule, and is told why not more', async ({ page }) => {
    await open(page, `/oncall?schedule=${idOf('schedule', 'Backup Support')}`);
    await page.getByRole('row', { name: 'Final schedule' }).getByRole('button').last().click();
    await expect(page.getByText('Viewers cannot change who is on call.')).toBeVisible();
    await expect(page.getByText(/You can look at schedules/)).toBeVisible();
    for (const name of ['Create Schedule', 'Edit Backup Support'])
      await expect(page.getByRole('link', { name })).toHaveCount(0);
  });
});

test.describe('the role', () => {
  test('is the one that the server knows, not the one of the sign-in', async ({ page, mara, changeRole }) => {
    expect(mara.session.user.role).toBe('owner');
    await page.goto('/incidents');
    const create = page.getByRole('button', { name: 'Create Incident' });
    await expect(page.getByRole('row').nth(1)).toBeVisible();
    await expect(create).toHaveCount(0);
    await changeRole('responder');
    await page.reload();
    await expect(create).toBeVisible();
  });

  test('is asked for again when the server refuses something for want of it', async ({
    page,
    mara,
    changeRole,
  }) => {
    await changeRole('responder');
    const { path } = await declare(mara);
    await open(page, path);
    await changeRole('viewer');
    await page.getByRole('button', { name: /^Acknowledge/ }).click();
    await expect(page.getByRole('status').filter({ hasText: 'Failed to acknowledge' })).toBeVisible();
    await expect(page.getByRole('button', { name: /^Acknowledge/ })).toHaveCount(0);
  });

  test('takes nothing that is being written when it changes', async ({ page, context, changeRole }) => {
    // Another tab asks who is signed in, and this one hears of it.
    const change = async (role: 'responder' | 'viewer') => {
      await changeRole(role);
      const beside = await context.newPage();
      await open(beside, '/incidents');
      const stored = () => page.evaluate(() => JSON.parse(localStorage.getItem('user') ?? '{}').role);
      await expect.poll(stored).toBe(role);
      await beside.close();
    };
    await open(page, '/settings');
    const phone = page.getByLabel('Phone');
    await phone.fill('0800');
    await change('responder');
    await expect(phone).toHaveValue('0800');
    await change('viewer');
    await expect(phone).toHaveValue('0800');
  });
});
