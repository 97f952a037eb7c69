import { expectClean, expectToFit, open, settle } from './clean';
import { service, triggered } from './demo';
import { expect, signIn, test } from './fixtures';
import { addService } from './made';
import { measure, report } from './reported';

test.beforeEach(({ page, mara }) => signIn(page, mara));

test.describe('an error that a program reported', () => {
  test('shows how often, the chain of causes and own calls, and folds those of libraries', async ({
    page,
    mara,
  }) => {
    await open(page, await report(mara));
    const card = page.getByRole('region', { name: 'Error' });
    await expect(card.getByText(/128 occurrences\s*first .*, \d\d:\d\d.*last .*, \d\d:\d\d/)).toBeVisible();
    await expect(card.getByRole('heading', { level: 3 })).toHaveText([
      'TokenRefreshFailed',
      'KeyMissing',
      'TimeoutError',
      'Latest occurrence',
    ]);
    await expect(card.getByText(/^88 +raise TokenRefreshFailed/)).toBeVisible();
    await expect(card.getByText('/srv/auth/keys.py:30')).toBeVisible();
    await expect(card.getByText('starlette/routing.py')).toBeHidden();
    await card.getByText('3 calls in libraries').focus();
    await page.keyboard.press('Enter');
    await expect(card.getByText('starlette/routing.py:76')).toBeVisible();
    await expect(card.getByText('POST /session/refresh').first()).toBeVisible();
    await expect(card.getByRole('link', { name: 'Logs' })).toHaveAttribute(
      'href',
      'https://logs.example.com/auth',
    );
  });

  test('is copied as text', async ({ page, context, mara }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await open(page, await report(mara));
    await page.getByRole('button', { name: 'Copy as text' }).click();
    await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible();
    const text = await page.evaluate(() => navigator.clipboard.readText());
    expect(text.split('\n').slice(0, 3)).toEqual([
      'TokenRefreshFailed: no key for kid 2026-03',
      'The session of the user stays as it was until it expires.',
      '    at auth.sessions.refresh.refresh (/srv/auth/sessions/refresh.py:88:13)',
    ]);
    expect(text).toContain('Caused by: KeyMissing: 2026-03');
  });

  test('is clean and fits with everything unfolded, also on a phone', async ({ page, mara }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await open(page, await report(mara));
    await page.evaluate(() => {
      for (const details of document.querySelectorAll('details')) details.open = true;
    });
    await settle(page);
    await expectClean(page);
    await expectToFit(page);
  });
});

test.describe('the page of a service', () => {
  test('shows what was measured, and says what was not', async ({ page, mara }) => {
    await open(page, await measure(mara));
    const card = page.getByRole('region', { name: 'Service Status' });
    await expect(card.getByRole('term')).toContainText(['Health', 'Uptime', 'Latency', 'Error rate']);
    await expect(page.getByRole('region', { name: 'Business metrics' })).toContainText('orders per minute');
    const tile = (name: string) => card.getByRole('term').filter({ hasText: name }).locator('..');
    // Nothing measured it, so it is counted from its incidents.
    await expect(tile('Uptime')).toContainText('Without a critical incident');
    await expect(tile('Latency')).toContainText('1.54 s');
    await expect(tile('Error rate')).toContainText('3 %');
    const asked = page.waitForRequest((request) => request.url().includes('/samples?since='));
    await card.getByRole('button', { name: '7 days' }).click();
    const since = new URL((await asked).url()).searchParams.get('since') ?? '';
    expect(Math.round((Date.now() - Date.parse(since)) / 86_400_000)).toBe(7);
  });

  test('shows a change before the incident that followed it', async ({ page }) => {
    await open(page, service('Checkout API'));
    const changed = page
      .getByRole('region', { name: 'Recent Activity' })
      .getByRole('listitem')
      .filter({ hasText: 'checkout-api 4.18.0 to eu-west-1' });
    await expect(changed).toContainText('1 minute before #c41e');
    await expect(changed.getByRole('link', { name: '#c41e' })).toHaveAttribute('href', triggered);
  });

  test('says that nothing was reported yet', async ({ page, mara }) => {
    const { id } = await addService(mara);
    await open(page, `/services/${id}`);
    await expect(page.getByText('No data reported yet')).toHaveCount(2);
    await expect(page.getByText('No activity yet.', { exact: false })).toBeVisible();
  });
});
