import { defineConfig } from '@playwright/test';

// Debian's chromium; set CHROMIUM to use another. The site must have been built before.
export default defineConfig({
  testDir: 'e2e',
  workers: 2,
  reporter: [['line']],
  use: {
    baseURL: 'http://127.0.0.1:8491',
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-background-networking'],
    },
  },
  webServer: {
    command: 'node testing/site-server.mjs',
    env: { PORT: '8491', FAKE_ROWS: '1000' },
    url: 'http://127.0.0.1:8491/',
    reuseExistingServer: false,
  },
});
