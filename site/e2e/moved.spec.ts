import type { Page } from '@playwright/test';
import { open } from './clean';
import { giveFeed } from './feed';
import { expect, signIn, test } from './fixtures';
import { declare } from './made';

// What comes above the list moves all of its rows: a press on its way means the row that was there before.
test.use({ expectedFaults: /404|409|503|ERR_/ });
test.beforeEach(({ page, mara }) => signIn(page, mara));

const away = { status: 503, json: { message: 'The database is away. Try again in a moment.' } };

/** Presses where the button stands now, as soon as it has moved away from there, and says what was hit. */
function pressOnceMoved(page: Page, name: string): Promise<string> {
  return page.evaluate(async (name) => {
    const button = document.querySelector(`[aria-label="${name}"]`);
    const aim = button?.getBoundingClientRect();
    if (!button || !aim) return '';
    while (Math.abs(button.getBoundingClientRect().top - aim.top) < 20)
      await new Promise((frame) => requestAnimationFrame(frame));
    // A thumb on its way is not faster than a frame or two.
    for (let n = 0; n < 3; n++) await new Promise((frame) => requestAnimationFrame(frame));
    for (let y = aim.top + 2; y < aim.bottom; y += 4) {
      const hit = document.elementFromPoint(aim.x + aim.width / 2, y)?.closest('button');
      // A thumb's click is counted, a key's is not.
      hit?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, detail: 1 }));
      if (hit) return hit.ariaLabel ?? '';
    }
    return '';
  }, name);
}

for (const [what, api] of [
  ['the bar', /\/v1\/incidents\/counts/],
  ['the failed list', /\/v1\/incidents\?/],
] as const)
  test(`a press on its way while ${what} comes above the list acknowledges no other row`, async ({
    page,
    context,
    mara,
  }) => {
    const made = [];
    for (let n = 0; n < 6; n++) made.push(await declare(mara));
    const feed = await giveFeed(context);
    await open(page, '/incidents');
    const sent: string[] = [];
    page.on('request', (request) => request.url().endsWith('/acknowledge') && sent.push(request.url()));
    await page.route(api, (route) => route.fulfill(away));
    // The oldest of them: whatever comes, one of the newer rows stands there then.
    const aimed = `Acknowledge #${made[0]?.id.slice(-4)}`;
    const pressed = pressOnceMoved(page, aimed);
    feed.event(7, { incident_id: 'i7' });
    const hit = await pressed;
    expect(hit).toMatch(/^Acknowledge #/);
    expect(hit).not.toBe(aimed);
    await page.evaluate(() => new Promise((seen) => setTimeout(seen, 400)));
    expect(sent).toEqual([]);
    // Who has seen where it stands is heard.
    await page.getByRole('button', { name: hit }).click();
    await expect.poll(() => sent.length).toBe(1);
    feed.close();
  });
