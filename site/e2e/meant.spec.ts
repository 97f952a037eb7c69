import { expectCleanIn, expectToFit, open, read, settle } from './clean';
import { expect, signIn, test } from './fixtures';
import { declare } from './made';

// What a press, or the Retry of one, does is what somebody meant who pressed it.
test.use({ expectedFaults: /404|409|503|ERR_/ });
test.beforeEach(({ page, mara }) => signIn(page, mara));

for (const width of [1440, 390])
  test(`the second tap of an Acknowledge does not resolve, ${width} wide`, async ({ page, mara }) => {
    await page.setViewportSize({ width, height: 844 });
    const { path } = await declare(mara);
    const resolved: string[] = [];
    page.on('request', (request) => request.url().endsWith('/resolve') && resolved.push(request.url()));
    await open(page, path);
    const acknowledge = page.getByRole('button', { name: /^Acknowledge/ });
    const place = await acknowledge.boundingBox();
    if (!place) throw new Error('the button has a place');
    const tap = () => page.mouse.click(place.x + place.width / 2, place.y + place.height / 2);
    const resolve = page.getByRole('button', { name: 'Resolve' });
    await tap();
    await expect(resolve).toBeVisible();
    await tap();
    await read(resolve);
    expect(resolved).toEqual([]);
    await tap();
    await expect(
      page
        .getByRole('definition')
        .filter({ hasText: /^Resolved/ })
        .first(),
    ).toBeVisible();
    expect(resolved).toHaveLength(1);
  });

test('each of several failures keeps its Retry, which does what failed there', async ({ page, mara }) => {
  const made = [await declare(mara), await declare(mara)] as const;
  const [first, second] = made;
  await open(page, '/incidents');
  const sent: string[] = [];
  await page.route('**/acknowledge', (route) => {
    sent.push(route.request().url().split('/').at(-2) ?? '');
    return sent.length <= 2 ? route.abort() : route.continue();
  });
  for (const { id, title } of made) {
    await page.getByRole('row').getByRole('link', { name: title, exact: true }).click();
    await page
      .getByRole('article')
      .getByRole('button', { name: /^Acknowledge/ })
      .click();
    await expect(page.getByRole('status').getByText(`#${id.slice(-4)}`, { exact: true })).toBeVisible();
    await page.goBack();
  }
  const message = page.locator('[data-kind=failure]').filter({ hasText: `#${first.id.slice(-4)}` });
  await message.getByRole('button', { name: 'Retry' }).click();
  await expect(page.getByRole('button', { name: `Resolve #${first.id.slice(-4)}` })).toBeVisible();
  expect(sent).toEqual([first.id, second.id, first.id]);
  await expect(page.locator('[data-kind=failure]')).toHaveCount(1);
});

for (const width of [1440, 390])
  test(`four failures fit above what is pressed next, ${width} wide`, async ({ page, mara }) => {
    await page.setViewportSize({ width, height: 844 });
    const made = [await declare(mara), await declare(mara), await declare(mara), await declare(mara)];
    await page.route('**/acknowledge', (route) =>
      route.fulfill({ status: 503, json: { message: 'It is busy. Try again in a few seconds.' } }),
    );
    await open(page, '/incidents');
    for (const { title } of made) {
      // By the keyboard: on a phone the messages cover rows until they are closed.
      await page.getByRole('row').getByRole('link', { name: title, exact: true }).press('Enter');
      await page
        .getByRole('article')
        .getByRole('button', { name: /^Acknowledge/ })
        .click();
      await expect(page.getByRole('article').getByRole('button', { name: /^Acknowledge/ })).toBeEnabled();
      if (title !== made.at(-1)?.title) await page.goBack();
    }
    await expect(page.getByText('1 more failure. Close one to see it.')).toBeVisible();
    await expect(page.locator('[data-kind=failure]')).toHaveCount(3);
    await expectToFit(page);
    for (const theme of ['dark', 'light']) {
      await expectCleanIn(page, theme);
      await page.screenshot({ path: `test-results/failures-${width}-${theme}.png` });
    }
    // The button of this incident is under none of them.
    await page
      .getByRole('article')
      .getByRole('button', { name: /^Acknowledge/ })
      .click({ trial: true });
    await settle(page);
  });
