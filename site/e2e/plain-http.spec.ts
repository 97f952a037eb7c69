import { namedAddress } from './address';
import { open } from './clean';
import { expect, signIn, test } from './fixtures';
import { refreshInTwoTabs } from './sessions';

// A name that is not loopback: the browser then has no locks and no clipboard.
test.use({ baseURL: namedAddress, expectedFaults: /401/ });

test.describe('over plain http', () => {
  test('a session is refreshed once, however many tabs need it', async ({ page, context }) => {
    await page.goto('/docs');
    expect(await page.evaluate(() => 'locks' in navigator)).toBe(false);
    await refreshInTwoTabs(page, context);
  });
});

test.describe('a copy without the clipboard of https', () => {
  test.beforeEach(({ page }) => signIn(page));

  test('works all the same, and says so', async ({ page }) => {
    await open(page, '/oncall/explain');
    await page.getByRole('button', { name: 'Copy link' }).click();
    await expect(page.locator('.toast.success')).toContainText('Copied to clipboard');
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
    await expect(page.locator('.toast.failure')).toContainText('Not copied');
  });
});
