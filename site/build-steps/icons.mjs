// Draws the pictures that cannot be SVG: what a phone puts on its home screen, and what a chat shows
// beside a link. They are committed; run this again when the logo changes: node build-steps/icons.mjs
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium } from '@playwright/test';

const out = join(import.meta.dirname, '../public');
const bell = await readFile(join(out, 'favicon.svg'), 'utf8');
const night = '#10121a';
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium' });

// A launcher may cut a maskable icon down to the circle in its middle 80 per cent.
const icons = [
  { file: 'icon-192.png', size: 192, bell: 0.62 },
  { file: 'icon-512.png', size: 512, bell: 0.62 },
  { file: 'icon-maskable-512.png', size: 512, bell: 0.46 },
  { file: 'apple-touch-icon.png', size: 180, bell: 0.6 },
];
for (const { file, size, bell: share } of icons)
  await draw(file, size, size, `<div style="width:${size * share}px">${bell}</div>`);

await draw(
  'social.png',
  1200,
  630,
  `<div style="display:grid;gap:36px;justify-items:start;width:960px;color:#f3f4f8;font-family:system-ui,sans-serif">
    <div style="display:flex;align-items:center;gap:24px;font-size:56px;font-weight:600"><div style="width:88px">${bell}</div>Nightbell</div>
    <div style="font-size:76px;font-weight:650;line-height:1.08;letter-spacing:-0.03em">The bell that wakes the right person at night</div>
    <div style="font-size:34px;color:#b9bccb">Open-source incident response and on-call</div>
  </div>`,
);
await browser.close();

async function draw(file, width, height, content) {
  const page = await browser.newPage({ viewport: { width, height } });
  await page.setContent(
    `<body style="margin:0;display:grid;place-items:center;height:100vh;background:${night}">${content}</body>`,
  );
  await page.screenshot({ path: join(out, file) });
  await page.close();
}
