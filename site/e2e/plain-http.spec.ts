import { open } from './clean';
import { expect, signIn, test } from './fixtures';
import { refreshInTwoTabs } from './sessions';

// A name that is not loopback: the browser then has no locks, no clipboard and no use for a header of the server.
test.use({ byName: true, expectedFaults: /401|Cross-Origin-Opener-Policy/ });

test.describe('over plain http', () => {
  test('a session is refreshed once, however many tabs need it', async ({ page, context, nightbell }) => {
    await page.goto('/docs');
    expect(await page.evaluate(() => 'locks' in navigator)).toBe(false);
    await refreshInTwoTabs(page, context, await nightbell.register());
  });
});

test.describe('a copy without the clipboard of https', () => {
  test.beforeEach(({ page, mara }) => signIn(page, mara));

  test('works all the same, and says so', async ({ page }) => {
    await open(page, '/oncall/explain');
    await page.getByRole('button', { name: 'Copy link' }).click();
    await expect(page.getByRole('status').filter({ hasText: 'Copied to clipboard' })).toBeVisible();
    await open(page, '/incidents');
    await page.getByRole('searchbox').focus();
    await page.keyboard.press('ControlOrMeta+V');
    await expect(page.getByRole('searchbox')).toHaveValue(/\/oncall\/explain$/);
  });

  test('that fails is seen', async ({ page }) => {
    await page.addInitScript(() => {
      document.execCommand = () => false;
    });
    await open(page, '/oncall/explain');
    await page.getByRole('button', { name: 'Copy link' }).click();
    await expect(page.getByRole('status').filter({ hasText: 'Not copied' })).toBeVisible();
  });
});
