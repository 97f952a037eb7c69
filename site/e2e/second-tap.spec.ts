import type { GetIncidentResponseJson } from '@nightbell/proto';
import type { Locator, Page } from '@playwright/test';
import { open, read, settle } from './clean';
import { expect, signIn, test } from './fixtures';
import { declare, nameOf } from './made';

// The second tap of a thumb means what the first one pressed, and nothing that came in its place.
test.use({ expectedFaults: /404|409|503|ERR_/, hasTouch: true, viewport: { width: 390, height: 800 } });
test.beforeEach(({ page, mara }) => signIn(page, mara));

async function tapTwice(page: Page, what: Locator, between: () => Promise<unknown>): Promise<void> {
  const box = await what.boundingBox();
  if (!box) throw new Error('it has a place');
  const [x, y] = [box.x + Math.min(60, box.width / 2), box.y + box.height / 2];
  await page.touchscreen.tap(x, y);
  await between();
  await page.touchscreen.tap(x, y);
}

/** Notes which incidents are acknowledged. */
function acknowledged(page: Page): string[] {
  const sent: string[] = [];
  page.on('request', (request) => {
    const [, id] = /incidents\/([^/]+)\/acknowledge$/.exec(request.url()) ?? [];
    if (id) sent.push(id);
  });
  return sent;
}

/** Scrolls until an element that lies in the page has its middle at this height of the window. */
const bringTo = (what: Locator, y: number) =>
  what.evaluate((element, y) => {
    const { top, height } = element.getBoundingClientRect();
    window.scrollBy({ top: top + height / 2 - y, behavior: 'instant' });
  }, y);

test('of the title in the list does not acknowledge on the page that it opened', async ({ page, mara }) => {
  for (let n = 0; n < 12; n++) await declare(mara);
  await open(page, '/incidents');
  const title = page
    .getByRole('row')
    .getByRole('link', { name: /^Nobody else/ })
    .nth(9);
  const acknowledge = page.getByRole('article').getByRole('button', { name: /^Acknowledge/ });
  await bringTo(title, 764); // where that is pinned
  const sent = acknowledged(page);
  await tapTwice(page, title, () => acknowledge.waitFor());
  await read(acknowledge);
  expect(sent).toEqual([]);
  // Once it was there for a moment it is heard, and so is a key at once.
  await acknowledge.tap();
  await expect.poll(() => sent.length).toBe(1);
});

test('of Retry does not acknowledge the row under the message', async ({ page, mara }) => {
  const made: { id: string }[] = [];
  for (let n = 0; n < 12; n++) made.push(await declare(mara));
  await open(page, '/incidents');
  const buttonOf = (n: number) => page.getByRole('button', { name: `Acknowledge #${made[n]?.id.slice(-4)}` });
  await page.route('**/acknowledge', (route) => route.abort(), { times: 1 });
  await buttonOf(9).tap();
  const retry = page.getByRole('button', { name: 'Retry' });
  const box = await retry.boundingBox();
  await bringTo(buttonOf(2), (box?.y ?? 0) + (box?.height ?? 0) / 2);
  await settle(page);
  const sent = acknowledged(page);
  await tapTwice(page, retry, () => retry.waitFor({ state: 'hidden' }));
  await read(buttonOf(2));
  expect(sent).toEqual([made[9]?.id]);
});

test('of a link that is removed does not remove the next one', async ({ page, mara }) => {
  const { id, path } = await declare(mara);
  for (let n = 0; n < 3; n++) {
    const other = await declare(mara, nameOf('Linked'));
    await mara.post(`/v1/incidents/${id}/links`, { linked_id: other.id });
  }
  await open(page, path);
  const remove = page.getByRole('button', { name: /^Remove the link to/ });
  await remove.first().scrollIntoViewIfNeeded();
  await tapTwice(page, remove.first(), () => expect(remove).toHaveCount(2));
  await read(remove.first());
  await settle(page);
  const { incident } = await mara.get<GetIncidentResponseJson>(`/v1/incidents/${id}`);
  expect(incident?.linked).toHaveLength(2);
});
