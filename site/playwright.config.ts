import { defineConfig } from '@playwright/test';
import { nameRule } from './e2e/address';
import { browserProgram } from './e2e/browser-program';

// The binary must have been built before: each worker starts one of its own.
export default defineConfig({
  testDir: 'e2e',
  workers: 2,
  // Patience for a slow machine, not a bar. There are no retries: a test that fails now and then has to show.
  timeout: 60_000,
  expect: { timeout: 15_000 },
  // The report says how long each test took. Who reads only the end of a long log finds there what failed.
  reporter: [
    ['line'],
    ['json', { outputFile: 'test-results/report.json' }],
    ['./e2e/failures-at-the-end.ts'],
  ],
  use: {
    launchOptions: {
      executablePath: browserProgram,
      args: ['--no-sandbox', '--disable-background-networking', nameRule],
    },
  },
});
