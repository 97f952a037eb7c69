// A browser for tests written in another language: one JSON command per line on standard
// input, one JSON answer per line on standard output. It ends when its input does.
//
//   node browser.mjs /usr/bin/chromium
//   {"do":"open","tab":"mail","url":"http://127.0.0.1:8480/"}      {"answer":200}
//   {"do":"see","tab":"mail","selector":"h1","text":"Nightbell"}   {"error":"..."}
//
// Each tab has a profile of its own, so that two people can be two tabs. One whose name begins
// with "phone" is one, in somebody's hand at night: 390 pixels wide and dark. "look" shows the tab in
// both themes and widths, leaves a picture of each, and gives what axe finds wrong with it.
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';
import AxeBuilder from '@axe-core/playwright';
import { chromium } from '@playwright/test';

// Longer than anything that works takes, on a busy machine too.
const patience = 20_000;

const executablePath = process.argv[2];
const browser = await chromium.launch({
  executablePath,
  args: ['--disable-background-networking', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
});

const desk = { viewport: { width: 1440, height: 900 } };
const phone = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 2,
  hasTouch: true,
  colorScheme: 'dark',
};

const tabs = new Map();
const complaints = [];

async function tabOf({ tab }) {
  const known = tabs.get(tab);
  if (known) return known;
  const context = await browser.newContext(tab.startsWith('phone') ? phone : desk);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await context.newPage();
  page.setDefaultTimeout(patience);
  page.on('pageerror', (error) => complaints.push(`${tab}: ${error.stack ?? error}`));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`${tab}: ${message.text()} ${message.location().url}`);
  });
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol.startsWith('http') && url.hostname !== '127.0.0.1')
      complaints.push(`${tab}: asked ${url.host} for something`);
  });
  tabs.set(tab, page);
  return page;
}

async function placeOf(command) {
  const page = await tabOf(command);
  return command.dialog ? page.getByRole('dialog', { name: command.dialog }) : page;
}

const verbs = {
  ready: async () => browser.version(),
  complaints: async () => complaints,
  open: async (command) => {
    const answer = await (await tabOf(command)).goto(command.url);
    return answer?.status();
  },
  press: async (command) => {
    const buttons = (await placeOf(command)).getByRole('button', { name: command.text, exact: true });
    await (command.first ? buttons.first() : buttons).click();
  },
  fill: async (command) =>
    (await placeOf(command)).getByLabel(command.label, { exact: true }).fill(command.text),
  choose: async (command) => {
    const place = await placeOf(command);
    await place.getByRole('combobox', { name: command.label, exact: true }).fill(command.text);
    await place.getByRole('option', { name: command.text }).first().click();
  },
  see: async (command) =>
    (await tabOf(command))
      .locator(command.selector)
      .filter({ hasText: command.text, visible: true })
      .first()
      .waitFor(),
  mark: async (command) =>
    (await tabOf(command)).evaluate(() => {
      window.markedByTest = true;
    }),
  clipboard: async (command) => (await tabOf(command)).evaluate(() => navigator.clipboard.readText()),
  look: async (command) => lookAt(await tabOf(command), command.path),
  stillMarked: async (command) => {
    const marked = await (await tabOf(command)).evaluate(() => window.markedByTest === true);
    if (!marked) throw new Error('the page was loaded again');
  },
  shoot: async (command) => {
    await (await tabOf(command)).screenshot({ path: command.path, fullPage: true });
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(await answerTo(JSON.parse(line))));
}
await browser.close();

async function lookAt(page, path) {
  const found = [];
  for (const theme of ['dark', 'light']) {
    await page.evaluate((theme) => {
      localStorage.setItem('ui-theme', theme);
      window.dispatchEvent(new StorageEvent('storage', { key: 'ui-theme', newValue: theme }));
    }, theme);
    for (const [width, height] of [
      [390, 844],
      [1440, 900],
    ]) {
      await page.setViewportSize({ width, height });
      await page.locator(`html[data-theme=${theme}]`).waitFor();
      await page.waitForFunction(() => document.getAnimations().every((one) => one.playState !== 'running'));
      await page.locator('.edit-conflict-conflict').first().scrollIntoViewIfNeeded();
      await page.screenshot({ path: `${path}-${width}-${theme}.png` });
      const { violations } = await new AxeBuilder({ page })
        .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'])
        .options({ resultTypes: ['violations'] })
        .setLegacyMode()
        .analyze();
      for (const { id, nodes } of violations)
        found.push(`${width} ${theme}: ${id} at ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      if (wide > 0) found.push(`${width} ${theme}: it scrolls sideways by ${wide}`);
    }
  }
  return found;
}

async function answerTo(command) {
  try {
    return { answer: (await verbs[command.do](command)) ?? null };
  } catch (error) {
    const page = tabs.get(command.tab);
    const where = page ? ` (at ${page.url()})` : '';
    return { error: stripVTControlCharacters(error.message) + where };
  }
}
