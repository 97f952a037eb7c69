import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect, underWay } from './fixtures';

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

// React draws an answer in one go; a page that did not change for so long has drawn all it has.
const calm = 200;

/** Waits until the page is drawn, works and stands still, however slow the machine is. */
export async function settle(page: Page): Promise<void> {
  await expect
    .poll(async () => [...underWay(page), ...(await unrest(page))], {
      message: 'what keeps the page from being drawn and still',
      intervals: [50],
    })
    .toEqual([]);
}

// Everything that says the page is not there yet. A page that is left while it is asked is not there either.
function unrest(page: Page): Promise<string[]> {
  return page.evaluate(listUnrest, calm).catch((error: Error) => {
    if (page.isClosed()) throw error;
    return [error.message];
  });
}

async function listUnrest(calm: number): Promise<string[]> {
  const heading = document.querySelector('main h1');
  const said = [...document.querySelectorAll('[role=status]')].map((status) => status.textContent.trim());
  const moving = document.getAnimations().filter((animation) => {
    const end = animation.effect?.getComputedTiming().endTime;
    return animation.playState === 'running' && end !== Number.POSITIVE_INFINITY;
  });
  const reasons = [
    !document.title && 'no title',
    !heading?.checkVisibility() && 'no heading in main',
    // React leaves its mark on what it has taken over; before that a click is lost.
    heading && !Object.keys(heading).some((key) => key.startsWith('__react')) && 'not hydrated',
    ...said.filter((words) => words.startsWith('Loading ')),
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

/** Fails on anything on the page that axe finds wrong. */
export async function expectClean(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).withTags(tags).analyze();
  expect(
    violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`),
  ).toEqual([]);
}
