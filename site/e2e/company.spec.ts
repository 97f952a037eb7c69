import { firstPort } from './address';
import { expectClean, open } from './clean';
import { expect, test } from './fixtures';
import { Nightbell } from './nightbell';

const settings = {
  NIGHTBELL_COMPANY_NAME: 'Müller & "Söhne" </script>',
  NIGHTBELL_POSTAL_ADDRESS: "Unter den Linden 1'; 10117 <Berlin>",
  NIGHTBELL_SALES_EMAIL: 'offers+eu@acme.example',
  NIGHTBELL_SUPPORT_EMAIL: 'help@acme.example',
};

// A server of its own: it is told who runs it.
test.use({
  nightbell: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of what it needs there.
    async ({}, use, worker) => {
      const nightbell = await Nightbell.start(firstPort + 100 + worker.parallelIndex, settings);
      await use(nightbell);
      await nightbell.stop();
    },
    { scope: 'worker', timeout: 120_000 },
  ],
});

test('the public pages name whoever runs the installation, before and after scripts', async ({
  page,
  browser,
  nightbell,
}) => {
  const still = await browser.newContext({ javaScriptEnabled: false, baseURL: nightbell.url });
  const unscripted = await still.newPage();
  for (const at of ['/', '/terms']) {
    await unscripted.goto(at);
    await open(page, at);
    for (const shown of [unscripted, page]) {
      await expect(shown.locator('address')).toHaveText(
        `${settings.NIGHTBELL_COMPANY_NAME}Unter den Linden 1' 10117 <Berlin>`,
      );
      await expect(shown.getByRole('link', { name: 'Contact', exact: true })).toHaveAttribute(
        'href',
        'mailto:help@acme.example',
      );
    }
  }
  await still.close();
  await open(page, '/#pricing');
  await page.getByRole('button', { name: 'Contact sales' }).click();
  const dialog = page.getByRole('dialog', { name: 'Talk to a person' });
  await expect(dialog.getByRole('link', { name: 'offers+eu@acme.example' })).toHaveAttribute(
    'href',
    'mailto:offers+eu@acme.example?subject=Nightbell%20Enterprise',
  );
  await expectClean(page);
});

test('a page that the browser draws over the application knows it too', async ({ page }) => {
  await open(page, '/dashboard');
  // Nobody is signed in: the landing page is drawn from the page of the application.
  await expect(page.getByRole('dialog')).toBeVisible();
  await expect(page.locator('address')).toContainText('Unter den Linden 1');
});
