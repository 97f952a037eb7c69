import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect } from './fixtures';

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Waits until nothing says that it is loading. The live feed never ends, so there is no idle network. */
export async function settle(page: Page): Promise<void> {
  await expect(page.getByText(/^Loading /)).toHaveCount(0);
  await page.waitForTimeout(400);
}

/** Fails on anything on the page that axe finds wrong. */
export async function expectClean(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).withTags(tags).analyze();
  expect(
    violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`),
  ).toEqual([]);
}
