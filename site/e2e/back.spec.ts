import type { Page } from '@playwright/test';
import { open } from './clean';
import { expect, signIn, test } from './fixtures';
import { addService, tell } from './made';

const long = 'Replication lag on sessions-replica above 90 seconds for longer than it should be';

// The first row below the head of the page: which, and where it stands.
function firstShown(page: Page) {
  return page.evaluate(() => {
    const row = [...document.querySelectorAll('tr[data-row]')].find(
      (one) => one.getBoundingClientRect().top > 150,
    );
    return { row: row?.getAttribute('data-row'), top: Math.round(row?.getBoundingClientRect().top ?? 0) };
  });
}

function fromTheEnd(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollHeight - innerHeight - scrollY);
}

for (const width of [390, 1280])
  test(`Back finds the place in the list at ${width}, and End the last screen`, async ({
    page,
    nightbell,
  }) => {
    const ada = await nightbell.register();
    const { key } = await addService(ada);
    const events = Array.from({ length: 120 }, (_, at) => ({
      title: at % 3 ? `Disk full on node ${at}` : `${long} on node ${at}`,
      severity: 'high',
      dedup_key: `node-${at}`,
    }));
    for (const event of events) await tell(ada, key, event);
    await page.setViewportSize({ width, height: 800 });
    await signIn(page, ada);
    await open(page, '/incidents');
    await page.mouse.move(200, 500);
    for (let turn = 0; turn < 6; turn++) {
      await page.mouse.wheel(0, 500);
      await page.waitForTimeout(150);
    }
    await page.waitForTimeout(500);
    const before = await firstShown(page);
    await page.locator(`[data-row="${before.row}"] a`).first().click();
    await expect(page).toHaveURL(`/incidents/${before.row}`);
    await expect(page.getByLabel('Add a comment')).toBeVisible();
    await page.goBack();
    await expect.poll(() => firstShown(page)).toEqual(before);
    // Rows that are taller than they were taken for let End stop short; then it is pressed again.
    await expect
      .poll(async () => {
        await page.keyboard.press('End');
        await page.waitForTimeout(300);
        return fromTheEnd(page);
      })
      .toBeLessThan(400);
  });
