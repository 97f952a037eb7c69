import { defineConfig } from '@playwright/test';
import site from '../../playwright.config';

// No test: it runs what draws one contact sheet per route, for people to look at.
export default defineConfig({
  ...site,
  testDir: '.',
  testMatch: 'draw.ts',
  outputDir: '../../test-results/sheets-run',
  fullyParallel: true,
  timeout: 300_000,
});
