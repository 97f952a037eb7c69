import { defineConfig } from 'vitest/config';

// Patience for a slow machine, not a bar: commands are run and 50 pages are drawn.
export default defineConfig({ test: { testTimeout: 60_000, include: ['binder/**/*.test.ts'] } });
