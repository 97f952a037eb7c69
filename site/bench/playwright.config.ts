import { defineConfig } from '@playwright/test';
import { nameRule } from '../e2e/address';

// One worker: what is measured must not share the machine with itself.
export default defineConfig({
  testDir: '.',
  testMatch: '*.bench.ts',
  workers: 1,
  // Patience for a busy machine, not a bar.
  expect: { timeout: 120_000 },
  timeout: 1_200_000,
  reporter: [['line']],
  use: {
    viewport: { width: 1440, height: 900 },
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-background-networking', nameRule],
    },
  },
});
