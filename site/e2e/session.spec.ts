import { open, settle } from './clean';
import { expect, test } from './fixtures';
import {
  acceptOnly,
  holdRefresh,
  openIncident,
  refreshInTwoTabs,
  session,
  stored,
  storeSession,
} from './sessions';

test.describe('a session', () => {
  test.use({ expectedFaults: /401|ERR_FAILED/ });

  test('leaves no tokens behind when it is ended during a refresh', async ({ page, context }) => {
    await storeSession(page, session('mara', 1));
    const refresh = await holdRefresh(context);
    await open(page, await openIncident(page));
    await acceptOnly(context, 'mara-2');
    await page.getByRole('button', { name: /^Acknowledge/ }).click();
    await refresh.asked;
    await page.getByRole('button', { name: 'Logout' }).click();
    await expect(page).toHaveURL('/');
    await refresh.answer(session('mara', 2));
    await settle(page);
    expect(await stored(page)).toEqual({ user: null, access: null, refresh: null });
  });

  test('of one person never sends what another began', async ({ page, context }) => {
    await storeSession(page, session('mara', 1));
    const refresh = await holdRefresh(context);
    await open(page, await openIncident(page));
    const bearers = await acceptOnly(context, 'jonas-1');
    await page.getByRole('button', { name: /^Acknowledge/ }).click();
    await refresh.asked;
    const other = await context.newPage();
    await other.goto('/docs');
    await storeSession(other, session('jonas', 1));
    await refresh.answer(session('mara', 2));
    await expect(page.getByRole('button', { name: /^Acknowledging/ })).toHaveCount(0);
    await settle(page);
    expect(await stored(page)).toMatchObject({ access: 'jonas-1', refresh: 'jonas-1-refresh' });
    expect(bearers('POST')).toEqual(['mara-1']);
  });

  test('is not overwritten by a refresh that comes late', async ({ page, context }) => {
    await storeSession(page, session('mara', 1));
    const refresh = await holdRefresh(context);
    await open(page, await openIncident(page));
    await acceptOnly(context, 'mara-3');
    await page.getByRole('button', { name: /^Acknowledge/ }).click();
    await refresh.asked;
    const other = await context.newPage();
    await other.goto('/docs');
    await storeSession(other, session('mara', 3));
    await refresh.answer(session('mara', 2));
    await expect(page.getByRole('button', { name: /^Acknowledging/ })).toHaveCount(0);
    await settle(page);
    expect(await stored(page)).toMatchObject({ access: 'mara-3', refresh: 'mara-3-refresh' });
  });

  test('is refreshed once, however many tabs need it', async ({ page, context }) => {
    await refreshInTwoTabs(page, context);
  });

  for (const [what, answer] of [
    [
      'a page of a proxy',
      { status: 401, contentType: 'text/html', body: '<h1>Sign in to the guest network</h1>' },
    ],
    ['an answer that was lost', null],
  ] as const) {
    test(`survives ${what}`, async ({ page, context }) => {
      await storeSession(page, session('mara', 1));
      await open(page, await openIncident(page));
      await acceptOnly(context, 'mara-2');
      let back = false;
      await context.route('**/v1/auth/refresh', (route) => {
        if (back) return route.fulfill({ json: tokensOf(2) });
        return answer ? route.fulfill(answer) : route.abort();
      });
      await page.getByRole('link', { name: 'Incidents' }).first().click();
      await expect(page.getByRole('alert').getByRole('button', { name: 'Try again' })).toBeVisible();
      expect(await stored(page)).toMatchObject({ access: 'mara-1', refresh: 'mara-1-refresh' });
      back = true;
      await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click();
      await expect(page.getByRole('checkbox', { name: 'Select all' })).toBeVisible();
    });
  }

  test('is asked for twice when the first answer was lost', async ({ page, context }) => {
    await storeSession(page, session('mara', 1));
    await open(page, await openIncident(page));
    await acceptOnly(context, 'mara-2');
    let asked = 0;
    await context.route('**/v1/auth/refresh', (route) => {
      asked += 1;
      return asked === 1 ? route.abort() : route.fulfill({ json: tokensOf(2) });
    });
    await page.getByRole('link', { name: 'Incidents' }).first().click();
    await expect(page.getByRole('checkbox', { name: 'Select all' })).toBeVisible();
    expect(await stored(page)).toMatchObject({ access: 'mara-2' });
  });

  test('that expired comes back to the incident it was on', async ({ page, context }) => {
    await storeSession(page, session('mara', 1));
    const path = await openIncident(page);
    await open(page, path);
    await acceptOnly(context, 'a');
    await context.route('**/v1/auth/refresh', (route) =>
      route.fulfill({ status: 401, json: { code: 'token_expired', message: 'Log in again.', details: [] } }),
    );
    // Coming back to the page after an hour asks the server again.
    await page.reload();
    await expect(page).toHaveURL('/');
    const dialog = page.getByRole('dialog', { name: 'Log in' });
    await expect(dialog).toContainText('Authentication expired. Please log in again.');
    await dialog.getByLabel('Email').fill('mara@example.com');
    await dialog.getByLabel('Password').fill('secret');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(path);
    await expect(page.getByRole('button', { name: 'Assign' })).toBeVisible();
  });
});

function tokensOf(turn: number) {
  const { accessToken, refreshToken } = session('mara', turn);
  return { tokens: { access_token: accessToken, refresh_token: refreshToken } };
}
