// Measures the public pages of the real binary as `make lighthouse` asks for: fails where one falls short.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launch } from 'chrome-launcher';
import lighthouse, { desktopConfig } from 'lighthouse';

const root = join(import.meta.dirname, '../..');
const binary = process.env.NIGHTBELL_BIN ?? join(root, 'bin/nightbell');
const port = 29871;
const runs = Number(process.env.RUNS ?? 5);
const landing = '/';
const listed = [
  ...readFileSync(join(root, 'site/build/client/llms.txt'), 'utf8').matchAll(/\((\/docs[^)]*)\.md\)/g),
].map((found) => found[1]);
const chosen = process.env.PAGES?.split(',') ?? [landing, '/terms', '/privacy', '/cookies', ...listed];
const categories = ['performance', 'accessibility', 'best-practices', 'seo'];
// Performance of the first page is a median, because a busy machine slows one run and not five.
const leastPerformance = 95;

// Nothing but loopback is asked, and nothing of the machine's own browser is used.
const flags = [
  '--headless=new',
  '--no-sandbox',
  '--disable-background-networking',
  '--disable-component-update',
  '--no-first-run',
];

const folder = mkdtempSync(join(tmpdir(), 'nightbell-lighthouse-'));
chmodSync(folder, 0o755); // PostgreSQL gets an account of its own, which must get there
const server = spawn(binary, ['serve', '--demo'], {
  stdio: 'ignore',
  env: {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    NIGHTBELL_LISTEN: `127.0.0.1:${port}`,
    NIGHTBELL_DATA_DIR: join(folder, 'data'),
  },
});
const rows = [];
const short = [];
try {
  await ready();
  for (const page of chosen) {
    const measured = await measure(page, page === landing ? runs : 1, 'mobile');
    tell(page, 'mobile', measured);
    if (page === landing) tell(page, 'desktop', await measure(page, 1, 'desktop'));
  }
} finally {
  server.kill('SIGTERM');
  if (server.exitCode === null) await once(server, 'exit');
  rmSync(folder, { recursive: true, force: true });
}
if (process.env.LIGHTHOUSE_JSON)
  writeFileSync(
    process.env.LIGHTHOUSE_JSON,
    `${JSON.stringify({ date: new Date(), pages: rows }, null, 2)}\n`,
  );
for (const line of short) console.error(line);
if (short.length > 0) process.exit(1);

/** The median of each category, and the audits that cost points. */
async function measure(page, times, form) {
  const scores = [];
  const lost = new Set();
  let tries = 0;
  for (let n = 0; n < times; n++) {
    const chrome = await launch({
      chromePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      chromeFlags: flags,
    });
    try {
      const options = { port: chrome.port, logLevel: 'error', onlyCategories: categories };
      const { lhr } = await lighthouse(
        `http://127.0.0.1:${port}${page}`,
        options,
        form === 'desktop' ? desktopConfig : undefined,
      );
      // Chromium's trace now and then lacks the page's beginning: Lighthouse itself says to run again.
      if (lhr.runtimeError?.code === 'NO_NAVSTART' && tries++ < 3) {
        n--;
        continue;
      }
      if (lhr.runtimeError) throw new Error(`${page}: ${lhr.runtimeError.message}`);
      if (form === 'mobile' && page === landing) console.log(seen(lhr));
      scores.push(categories.map((name) => Math.round((lhr.categories[name]?.score ?? 0) * 100)));
      for (const name of categories.slice(1))
        for (const { id, weight } of lhr.categories[name].auditRefs)
          if (weight > 0 && lhr.audits[id].score !== null && lhr.audits[id].score < 1) lost.add(id);
    } finally {
      await chrome.kill();
    }
  }
  return {
    scores: categories.map((_, n) => scores.map((one) => one[n]).sort((a, b) => a - b)[times >> 1]),
    lost: [...lost],
  };
}

/** What makes up the performance of one run: a busy processor shows in the blocking time alone. */
function seen({ audits }) {
  const names = [
    'first-contentful-paint',
    'largest-contentful-paint',
    'total-blocking-time',
    'speed-index',
    'cumulative-layout-shift',
  ];
  return `      ${names.map((name) => `${name} ${audits[name].displayValue}`).join(', ')}`;
}

function tell(page, form, { scores, lost }) {
  rows.push({ page, form, ...Object.fromEntries(categories.map((name, n) => [name, scores[n]])) });
  console.log(
    `${scores.map((score) => `${score}`.padStart(4)).join('')}  ${form.padEnd(8)} ${page} ${lost.join(' ')}`,
  );
  const [performance, ...others] = scores;
  if (page === landing && performance < leastPerformance)
    short.push(`${page} (${form}): performance ${performance}, at least ${leastPerformance} is wanted`);
  if (others.some((score) => score < 100))
    short.push(`${page} (${form}): ${lost.join(', ')} cost points; 100 is wanted beside performance`);
}

async function ready() {
  for (let tries = 0; tries < 600; tries++) {
    const answered = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
    if (answered?.ok) return;
    if (server.exitCode !== null) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${binary} did not start`);
}
