import { defineConfig } from '@playwright/test';
import { address, nameRule, port } from './e2e/address';

// Debian's chromium; set CHROMIUM to use another. The site must have been built before.
export default defineConfig({
  testDir: 'e2e',
  workers: 2,
  // Patience for a slow machine, not a bar. There are no retries: a test that fails now and then has to show.
  timeout: 60_000,
  expect: { timeout: 15_000 },
  reporter: [['line']],
  use: {
    baseURL: address,
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-background-networking', nameRule],
    },
  },
  webServer: {
    command: 'node testing/site-server.mjs',
    env: { PORT: port, FAKE_ROWS: '1000' },
    url: address,
    reuseExistingServer: false,
  },
});
