import { expectToFit, open } from './clean';
import { signIn, test } from './fixtures';

test.beforeEach(({ page, mara }) => signIn(page, mara));

for (const [width, path] of [
  [320, '/docs'],
  [320, '/docs/quick-setup'],
  [360, '/docs'],
  [375, '/docs'],
  [320, '/analytics'],
] as const) {
  test(`${path} at ${width} does not scroll sideways`, async ({ page }) => {
    await page.setViewportSize({ width, height: 640 });
    await open(page, path);
    await expectToFit(page);
  });
}
