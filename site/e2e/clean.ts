import { expect, type Locator, type Page } from '@playwright/test';
import { violations } from './axe';
import { underWay } from './requests';

// React draws an answer in one go; a page that did not change for so many milliseconds has drawn all it has.
const calm = 200;

/** Opens a page and waits until it can be looked at and used. */
export async function open(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await settle(page);
}

/** Waits until the page is drawn, works and stands still, however slow the machine is. */
export async function settle(page: Page): Promise<void> {
  await expect
    .poll(async () => [...underWay(page), ...(await unrest(page)), ...(await loading(page))], {
      message: 'what keeps the page from being drawn and still',
      intervals: [50],
    })
    .toEqual([]);
}

/** Reads a button that came in place of another: for a moment a press there still means the one before. */
export async function read(button: Locator): Promise<void> {
  await expect(button).toBeVisible();
  await button.evaluate(() => new Promise((resolve) => setTimeout(resolve, 750)));
}

/** Waits until the page stands still and only answers of the server are missing. */
export async function settleLoading(page: Page): Promise<void> {
  await expect
    .poll(
      async () => [...(await unrest(page)), ...((await loading(page)).length > 0 ? [] : ['nothing loads'])],
      {
        message: 'what keeps the page from being drawn as far as it can be',
        intervals: [50],
      },
    )
    .toEqual([]);
}

/** What the page says that it is loading. */
function loading(page: Page): Promise<string[]> {
  return page.getByText(/^Loading \S/).allTextContents();
}

// Everything that says the page is not there yet. One that is left while it is asked is not there either.
function unrest(page: Page): Promise<string[]> {
  return page.evaluate(listUnrest, calm).catch((error: Error) => {
    if (page.isClosed()) throw error;
    return [error.message];
  });
}

async function listUnrest(calm: number): Promise<string[]> {
  const heading = document.querySelector('main h1');
  const usable = [...document.querySelectorAll('main :is(h1, button)')];
  const moving = document.getAnimations().filter((animation) => {
    const end = animation.effect?.getComputedTiming().endTime;
    return animation.playState === 'running' && end !== Number.POSITIVE_INFINITY;
  });
  const docs = document.querySelector<HTMLElement>('[data-confirm]');
  // React leaves its mark on what it has taken over; before that a click is lost. The documentation has its own,
  // a public page lets React sleep, and the page for what is not there has no script at all.
  const asleep = document.documentElement.dataset.front !== undefined;
  const works = docs
    ? docs.dataset.ready !== undefined
    : asleep ||
      !document.querySelector('script[type="module"]') ||
      usable.every((part) => Object.keys(part).some((key) => key.startsWith('__react')));
  const reasons = [
    !document.title && 'no title',
    !heading?.checkVisibility() && 'no heading in main',
    !works && 'does not work yet',
    document.fonts.status !== 'loaded' && 'fonts',
    moving.length > 0 && `${moving.length} running animations`,
  ].filter((reason) => typeof reason === 'string');
  if (reasons.length > 0) return reasons;
  const changes = await new Promise<MutationRecord[]>((resolve) => {
    const seen: MutationRecord[] = [];
    const observer = new MutationObserver((records) => seen.push(...records));
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    setTimeout(() => {
      observer.disconnect();
      resolve(seen);
    }, calm);
  });
  return changes.length > 0 ? [`changes: ${changes.map(({ target }) => target.nodeName).join(', ')}`] : [];
}

/** Shows the page in a theme, as if it had been chosen in another tab. */
export async function wear(page: Page, theme: string): Promise<void> {
  await page.evaluate((theme) => {
    localStorage.setItem('ui-theme', theme);
    window.dispatchEvent(new StorageEvent('storage', { key: 'ui-theme', newValue: theme }));
  }, theme);
  await expect(page.locator('html')).toHaveAttribute('data-theme', theme);
}

/** Fails on anything on the page that axe finds wrong. */
export async function expectClean(page: Page): Promise<void> {
  expect(await violations(page)).toEqual([]);
}

/** Fails on what axe finds in a theme, on a page that is drawn already. */
export async function expectCleanIn(page: Page, theme: string): Promise<void> {
  if ((await page.locator('html').getAttribute('data-theme')) !== theme) await wear(page, theme);
  await settle(page);
  await expectClean(page);
}

/** Fails when the page can be scrolled sideways. */
export async function expectToFit(page: Page): Promise<void> {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(wide, 'scrolls sideways').toBeLessThanOrEqual(0);
}
