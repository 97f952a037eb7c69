import { join } from 'node:path';
import type { Browser, Page } from '@playwright/test';
import { settle, wear } from '../clean';
import { test as base, signIn } from '../fixtures';
import { followRequests } from '../requests';
import { type Place, places, type State, states } from './places';

const folder = join(import.meta.dirname, '../../test-results/sheets');
const wanted = process.env.ROUTES?.split(',');
// How wide a page of each width is on the sheet; long ones are cut, so that beginnings stand side by side.
const shownAs = { 1440: 600, 390: 260 };
const widths = [1440, 390] as const;
const themes = ['dark', 'light'];
// What a page takes to show that it waits, and to give up on a server that is away.
const patience = { loading: 1500, error: 4500 };

// Faults are looked at here, not counted: servers that are away are part of it.
const test = base.extend({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of what it needs there.
  quiet: async ({}, use) => use(undefined),
});

for (const place of places.filter(({ name }) => !wanted || wanted.includes(name)))
  test(place.name, async ({ browser, nightbell, mara }) => {
    const ada = await nightbell.register();
    const full = place.path ?? (await place.made?.(mara, false)) ?? '/';
    const empty = (await place.made?.(ada, true)) ?? full;
    const shots = new Map<string, string>();
    for (const width of widths)
      for (const state of states) {
        const page = await openAt(browser, nightbell.url, width);
        const [who, path] = state === 'empty' ? [ada, empty] : [mara, full];
        if (!place.signedOut) await signIn(page, who);
        await show(page, place, state, path);
        for (const theme of themes) {
          await wear(page, theme);
          const name = `${state}-${width}-${theme}`;
          const file = join(folder, place.name, `${name}.png`);
          // A dialog stands in the middle of the screen, not of the page.
          const image = await page.screenshot({ path: file, fullPage: !place.steps });
          shots.set(name, image.toString('base64'));
        }
        await page.context().close();
      }
    const sheet = await openAt(browser, nightbell.url, 1800);
    await sheet.setContent(sheetOf(place.name, shots));
    await sheet.screenshot({ path: join(folder, `${place.name}.png`), fullPage: true });
    await sheet.context().close();
  });

async function openAt(browser: Browser, baseURL: string, width: number): Promise<Page> {
  const viewport = { width, height: 900 };
  const context = await browser.newContext({ baseURL, viewport, reducedMotion: 'reduce' });
  followRequests(context);
  return context.newPage();
}

async function show(page: Page, { steps }: Place, state: State, path: string): Promise<void> {
  const change = () => breakNetwork(page, state);
  if (!steps) await change();
  await page.goto(path);
  if (steps) {
    await settle(page);
    await steps(page, state, change);
  }
  if (state === 'loading' || state === 'error') await page.waitForTimeout(patience[state]);
  else await settle(page);
}

async function breakNetwork(page: Page, state: State): Promise<void> {
  const away = { status: 503, json: { code: 'unavailable', message: 'The database is away.' } };
  if (state === 'loading') await page.route('**/v1/**', () => undefined);
  if (state === 'error') await page.route('**/v1/**', (route) => route.fulfill(away));
}

// The browser lays the sheet out, too: a row for each state.
function sheetOf(place: string, shots: ReadonlyMap<string, string>): string {
  const figure = (name: string, shown: number) => `<figure style="width:${shown}px">${place}-${name}
    <div><img src="data:image/png;base64,${shots.get(name)}" alt=""></div></figure>`;
  const columns = widths.flatMap((width) => themes.map((theme) => ({ width, theme })));
  const row = (state: State) =>
    columns.map(({ width, theme }) => figure(`${state}-${width}-${theme}`, shownAs[width])).join('');
  return `<style>
    body { margin: 16px; background: #777; color: #fff; font: 12px sans-serif }
    section { display: flex; gap: 12px; align-items: start; margin-bottom: 20px } figure { margin: 0 }
    div { max-height: 900px; overflow: hidden } img { width: 100%; display: block }
  </style>${states.map((state) => `<section>${row(state)}</section>`).join('')}`;
}
