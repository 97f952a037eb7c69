import type { Locator, Page } from '@playwright/test';
import type { Caller } from './caller';
import { open, settle } from './clean';
import { expect, test } from './fixtures';
import { declare } from './made';
import { anotherOf, expire, holdRefresh, refreshInTwoTabs, stored, storeSession } from './sessions';

test.describe('a session', () => {
  test.use({ expectedFaults: /401|404|ERR_FAILED/ });

  async function fillIn(dialog: Locator, { email, password }: Caller): Promise<void> {
    await dialog.getByLabel('Email').fill(email);
    await dialog.getByLabel('Password').fill(password);
    await dialog.getByLabel('Password').press('Enter');
  }

  // Each test ends sessions as it likes, so it has a person of its own.
  async function begin(page: Page, caller: Caller): Promise<string> {
    await storeSession(page, caller);
    const { path } = await declare(caller);
    await open(page, path);
    return path;
  }

  test('leaves no tokens behind when it is ended during a refresh', async ({ page, context, nightbell }) => {
    const ada = await nightbell.register();
    const refresh = await holdRefresh(context);
    await begin(page, ada);
    await expire(context, ada);
    await page.getByRole('button', { name: /^Acknowledge/ }).click();
    await refresh.asked;
    await page.getByRole('button', { name: 'Logout' }).click();
    await expect(page).toHaveURL('/');
    await refresh.release();
    await settle(page);
    expect(await stored(page)).toEqual({ user: null, access: null, refresh: null });
  });

  test('of one person never sends what another began', async ({ page, context, nightbell }) => {
    const [ada, jonas] = [await nightbell.register(), await nightbell.register()];
    const refresh = await holdRefresh(context);
    await begin(page, ada);
    const bearers = await expire(context, ada);
    await page.getByRole('button', { name: /^Acknowledge/ }).click();
    await refresh.asked;
    const other = await context.newPage();
    await other.goto('/docs');
    await storeSession(other, jonas);
    await refresh.release();
    await expect(page.getByRole('button', { name: /^Acknowledging/ })).toHaveCount(0);
    await settle(page);
    expect(await stored(page)).toMatchObject({
      access: jonas.session.accessToken,
      refresh: jonas.session.refreshToken,
    });
    expect(bearers('POST')).toEqual([ada.session.accessToken]);
  });

  test('is not overwritten by a refresh that comes late', async ({ page, context, nightbell }) => {
    const ada = await nightbell.register();
    const refresh = await holdRefresh(context);
    await begin(page, ada);
    await expire(context, ada);
    await page.getByRole('button', { name: /^Acknowledge/ }).click();
    await refresh.asked;
    const other = await context.newPage();
    await other.goto('/docs');
    const later = await anotherOf(ada);
    await storeSession(other, later);
    await refresh.release();
    await expect(page.getByRole('button', { name: /^Acknowledging/ })).toHaveCount(0);
    await settle(page);
    expect(await stored(page)).toMatchObject({
      access: later.session.accessToken,
      refresh: later.session.refreshToken,
    });
  });

  test('is refreshed once, however many tabs need it', async ({ page, context, nightbell }) => {
    await refreshInTwoTabs(page, context, await nightbell.register());
  });

  for (const [what, answer] of [
    [
      'a page of a proxy',
      { status: 401, contentType: 'text/html', body: '<h1>Sign in to the guest network</h1>' },
    ],
    ['an answer that was lost', null],
  ] as const) {
    test(`survives ${what}`, async ({ page, context, nightbell }) => {
      const ada = await nightbell.register();
      await begin(page, ada);
      await expire(context, ada);
      let back = false;
      await context.route('**/v1/auth/refresh', (route) => {
        if (back) return route.continue();
        return answer ? route.fulfill(answer) : route.abort();
      });
      await page.getByRole('link', { name: 'Incidents' }).first().click();
      await expect(page.getByRole('alert').getByRole('button', { name: 'Try again' })).toBeVisible();
      expect(await stored(page)).toMatchObject({
        access: ada.session.accessToken,
        refresh: ada.session.refreshToken,
      });
      back = true;
      await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click();
      await expect(page.getByRole('checkbox', { name: 'Select all' })).toBeVisible();
    });
  }

  test('is asked for twice when the first answer was lost', async ({ page, context, nightbell }) => {
    const ada = await nightbell.register();
    await begin(page, ada);
    const bearers = await expire(context, ada);
    let asked = 0;
    await context.route('**/v1/auth/refresh', async (route) => {
      asked += 1;
      if (asked > 1) return route.continue();
      // The server has done it: the same token must give the same successor once more.
      await route.fetch();
      return route.abort();
    });
    await page.getByRole('link', { name: 'Incidents' }).first().click();
    await expect(page.getByRole('checkbox', { name: 'Select all' })).toBeVisible();
    const { access } = await stored(page);
    expect(access).not.toBe(ada.session.accessToken);
    expect(bearers('GET')).toContain(access);
    expect(asked).toBe(2);
  });

  test('that expired comes back to the incident it was on', async ({ page, context, nightbell }) => {
    const ada = await nightbell.register();
    const path = await begin(page, ada);
    await expire(context, ada);
    // Ended by the server, as it ends one that was stolen or revoked: it refuses the refresh token itself.
    await ada.post('/v1/auth/logout', { refresh_token: ada.session.refreshToken });
    // Coming back to the page after an hour asks the server again.
    await page.reload();
    await expect(page).toHaveURL('/');
    const dialog = page.getByRole('dialog', { name: 'Log in' });
    await expect(dialog).toContainText('Authentication expired. Please log in again.');
    await fillIn(dialog, ada);
    await expect(page).toHaveURL(path);
    await expect(page.getByRole('button', { name: 'Assign' })).toBeVisible();
  });

  test('that expired keeps an incident that is not created yet', async ({ page, context, nightbell }) => {
    const ada = await nightbell.register();
    await storeSession(page, ada);
    await open(page, '/incidents');
    const create = page.getByRole('dialog', { name: 'Create Incident' });
    await page.getByRole('button', { name: 'Create Incident' }).click();
    await create.getByLabel('Title').fill('Nobody can pay');
    await create.getByLabel('Description').fill('Since 03:00, by card.');
    await expire(context, ada);
    await ada.post('/v1/auth/logout', { refresh_token: ada.session.refreshToken });
    await create.getByRole('button', { name: 'Create incident' }).click();
    await fillIn(page.getByRole('dialog', { name: 'Log in' }), ada);
    await expect(page).toHaveURL('/incidents');
    await page.getByRole('button', { name: 'Create Incident' }).click();
    await expect(create.getByLabel('Title')).toHaveValue('Nobody can pay');
    await expect(create.getByLabel('Description')).toHaveValue('Since 03:00, by card.');
    await create.getByRole('button', { name: 'Create incident' }).click();
    await expect(page.getByRole('heading', { name: 'Nobody can pay' })).toBeVisible();
  });

  test('that a logout ends leaves nothing half written in any tab', async ({ page, context, nightbell }) => {
    const ada = await nightbell.register();
    const path = await begin(page, ada);
    const [beside, leaving] = [await context.newPage(), await context.newPage()];
    await open(beside, path);
    for (const tab of [page, beside]) await tab.getByLabel('Add a comment').fill('Half written');
    await open(page, '/docs'); // no page of the workspace
    await open(leaving, '/dashboard');
    await leaving.getByRole('button', { name: 'Logout' }).click();
    await expect(beside).toHaveURL('/');
    for (const tab of [page, beside])
      await expect.poll(() => tab.evaluate(() => sessionStorage.getItem('half-written'))).toBeNull();
  });
});
