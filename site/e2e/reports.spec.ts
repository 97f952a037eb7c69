import { expectClean, expectToFit, open, settle } from './clean';
import { expect, reportedPath, signIn, test } from './fixtures';

test.describe.configure({ mode: 'parallel' });
test.beforeEach(({ page }) => signIn(page));

test.describe('an error that a program reported', () => {
  test('shows how often, the chain of causes and own calls, and folds those of libraries', async ({
    page,
  }) => {
    await open(page, reportedPath);
    const card = page.getByRole('region', { name: 'Error' });
    await expect(card.locator('.occurrences')).toHaveText(
      /128 occurrences\s*first 2 days ago, .*last 2 days ago, /,
    );
    await expect(card.getByRole('heading', { level: 3 })).toHaveText([
      'TokenRefreshFailed',
      'KeyMissing',
      'TimeoutError',
      'Latest occurrence',
    ]);
    await expect(card.getByText('raise TokenRefreshFailed')).toBeVisible();
    await expect(card.locator('.here')).toHaveText(/^88 /);
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

  test('is copied as text', async ({ page, context }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await open(page, reportedPath);
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

  test('is clean and fits with everything unfolded, also on a phone', async ({ page }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await open(page, reportedPath);
    await page.evaluate(() => {
      for (const details of document.querySelectorAll('details')) details.open = true;
    });
    await settle(page);
    await expectClean(page);
    await expectToFit(page);
  });
});

test.describe('the page of a service', () => {
  test('shows what was measured, and says what was not', async ({ page }) => {
    await open(page, '/services/s1');
    const card = page.getByRole('region', { name: 'Service Status' });
    await expect(card.locator('dt')).toContainText(['Health', 'Uptime', 'Latency', 'Error rate']);
    await expect(page.getByRole('region', { name: 'Business metrics' })).toContainText('orders per minute');
    await expect(card.locator('.tiles > div').nth(1)).toContainText('No data reported yet');
    await expect(card.locator('.tiles > div').nth(2)).toContainText('2.22 s');
    await expect(card.locator('.tiles > div').nth(3)).toContainText('3 %');
    const asked = page.waitForRequest((request) => request.url().includes('/samples?since='));
    await card.getByRole('button', { name: '7 days' }).click();
    const since = new URL((await asked).url()).searchParams.get('since') ?? '';
    expect(Math.round((Date.now() - Date.parse(since)) / 86_400_000)).toBe(7);
  });

  test('shows a change before the incident that followed it', async ({ page }) => {
    await open(page, '/services/s1');
    const card = page.getByRole('region', { name: 'Recent Activity' });
    await expect(card.locator('.cause')).toContainText('Deployed to all zones');
    await expect(card.locator('.lead')).toHaveText('6 minutes before #c41e');
  });

  test('says that nothing was reported yet', async ({ page }) => {
    await open(page, '/services/s2');
    await expect(page.getByText('No data reported yet')).toHaveCount(3);
    await expect(page.getByText('No activity yet.', { exact: false })).toBeVisible();
  });
});
