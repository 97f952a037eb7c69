import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { expect, type Page, test } from '@playwright/test';
import { type Caller, send } from '../e2e/caller';
import { open } from '../e2e/clean';
import { crowd } from '../e2e/crowd';
import { signIn } from '../e2e/fixtures';
import { addService } from '../e2e/made';
import { Nightbell } from '../e2e/nightbell';
import { followRequests } from '../e2e/requests';
import { type Figure, writeFigures } from './figures';
import { installProbe, type Probe } from './probe';

// make bench-site: how fast the screens answer, over the real binary, in organizations that the public
// API filled. QUICK=1 for development: a tenth of the incidents and of the rounds.
const quick = process.env.QUICK === '1';
const sizes = quick ? [100, 1000] : [1000, 10_000];
const rounds = quick ? 3 : 30;
const file = process.env.OUT ?? fileURLToPath(new URL('../../docs-mdx/bench/site.json', import.meta.url));
const typed = 'worker 77 restarted';
const visited = ['Incidents', 'On-Call', 'Services', 'Users', 'Integrations', 'Dashboard'];
const headings: Readonly<Record<string, string>> = { 'On-Call': 'On-call schedules' };
// What people feel as at once is 100 ms.
const bars = { key: 100, rows: 200, event: 1000, again: 100, first: 500 };

declare global {
  interface Window {
    probe: Probe;
  }
}

test('how fast the screens answer', async ({ browser }) => {
  const nightbell = await Nightbell.start(9390);
  const figures: Figure[] = [];
  try {
    for (const size of sizes) {
      const caller = await nightbell.register();
      await crowd(caller, size);
      const context = await browser.newContext({ baseURL: nightbell.url });
      followRequests(context);
      await signIn(context, caller);
      await context.addInitScript(installProbe);
      const page = await context.newPage();
      figures.push(...(await typing(page, size)));
      figures.push(await arriving(page, caller, size, 'after a quiet second'));
      figures.push(await arriving(page, caller, size, 'right after another'));
      if (size === sizes[0]) figures.push(...(await walking(page)));
      await context.close();
    }
  } finally {
    await nightbell.stop();
  }
  writeFigures(file, figures);
});

/** Types into the search over all incidents, each loaded. */
async function typing(page: Page, size: number): Promise<Figure[]> {
  await open(page, '/incidents');
  const more = page.getByRole('button', { name: /^Show .*more/ });
  while ((await more.count()) > 0) {
    await more.click();
    await expect(page.getByRole('button', { name: 'Loading...' })).toHaveCount(0);
  }
  const field = page.getByRole('searchbox', { name: 'Search incidents' });
  await field.focus();
  const echo: number[] = [];
  const rows: number[] = [];
  for (let round = 0; round < Math.max(1, rounds / 10); round++) {
    for (const letter of typed) {
      await page.evaluate(() => window.probe.awaitKey());
      await page.keyboard.press(letter);
      const one = await page.evaluate(() => window.probe.key());
      echo.push(one.echo);
      if (one.rows !== null) rows.push(one.rows);
    }
    await field.fill('');
  }
  const among = `${size.toLocaleString('en')} incidents`;
  return [
    { name: `a key in the search of ${among} to its paint`, bar: bars.key, samples: echo },
    { name: `a key in the search of ${among} to the paint of the rows`, bar: bars.rows, samples: rows },
  ];
}

/** Sends events, and waits for the row of each at the top of the list, which is fetched again at most twice a second. */
async function arriving(page: Page, caller: Caller, size: number, when: string): Promise<Figure> {
  await open(page, '/incidents');
  const { key } = await addService(caller);
  const samples: number[] = [];
  for (let round = 0; round < rounds; round++) {
    if (when === 'after a quiet second') await page.waitForTimeout(1500);
    const title = `Nobody has seen ${randomUUID()}`;
    const seen = page.evaluate((title) => window.probe.text(title), title);
    const sent = Date.now();
    await send(`${caller.url}/v1/events`, 'POST', { title, dedup_key: title, severity: 'low' }, key);
    samples.push((await seen) - sent);
  }
  return {
    name: `an event sent ${when} to its row among ${size.toLocaleString('en')} incidents`,
    bar: bars.event,
    samples,
  };
}

/** Walks over the pages of the navigation: the first time, and again. */
async function walking(page: Page): Promise<Figure[]> {
  await open(page, '/dashboard');
  const first: number[] = [];
  const again: number[] = [];
  for (let round = 0; round <= Math.max(1, rounds / 5); round++) {
    for (const word of visited) {
      const took = await page.evaluate(([word, heading]) => window.probe.go(word, heading), [
        word,
        headings[word] ?? word,
      ] as const);
      (round === 0 ? first : again).push(took);
    }
  }
  return [
    { name: 'a page of the navigation, the first time', bar: bars.first, samples: first },
    { name: 'a page of the navigation, again', bar: bars.again, samples: again },
  ];
}
