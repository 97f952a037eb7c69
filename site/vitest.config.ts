import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// A document costs each file about two seconds, so only those have one that draw, or ask for storage,
// locks or the address.
const ask = [
  'app/data/cache.test.ts',
  'app/data/incident-bulk.test.ts',
  'app/data/renewal.test.ts',
  'app/features/incidents/model/rows.test.ts',
  'app/features/services/model/curl.test.ts',
  'app/lib/answers.test.ts',
  'app/lib/api.test.ts',
  'app/lib/exclusive.test.ts',
  'app/lib/leader.test.ts',
  'app/lib/own-address.test.ts',
  'app/lib/session.test.ts',
  'app/lib/stream.test.ts',
  'app/lib/theme.test.ts',
  'testing/lists.test.ts',
  'testing/prefetch.test.tsx',
];
const draw = 'app/**/*.test.tsx';

export default defineConfig({
  resolve: { alias: { '~': fileURLToPath(new URL('./app', import.meta.url)) } },
  test: {
    restoreMocks: true,
    testTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'rules',
          environment: 'node',
          // They keep nothing between them, in whatever order they run, so one process loads what they share once.
          isolate: false,
          include: ['{app,build-steps,bench,testing}/**/*.test.ts'],
          exclude: ask,
        },
      },
      {
        extends: true,
        test: {
          name: 'document',
          environment: 'jsdom',
          environmentOptions: { jsdom: { url: 'http://nightbell.test/' } },
          include: [draw, ...ask],
          setupFiles: ['testing/setup.ts'],
        },
      },
    ],
  },
});
