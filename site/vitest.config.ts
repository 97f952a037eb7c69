import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { alias: { '~': fileURLToPath(new URL('./app', import.meta.url)) } },
  test: {
    environment: 'jsdom',
    environmentOptions: { jsdom: { url: 'http://nightbell.test/' } },
    include: [
      'app/**/*.test.{ts,tsx}',
      'build-steps/**/*.test.ts',
      'bench/**/*.test.ts',
      'testing/**/*.test.ts',
    ],
    setupFiles: ['testing/setup.ts'],
    restoreMocks: true,
    testTimeout: 60_000,
  },
});
