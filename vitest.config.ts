import { defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';
import { localImports } from './scripts/test-support/local-imports.js';

// Workspace packages resolve to their TypeScript sources (docs/decisions/0001), so no test can pass on a stale build.
const conditions = ['poise-source', ...defaultServerConditions];

const browserTests = ['apps/*/test/**/*.browser.test.{ts,tsx}', 'examples/test/**/*.browser.test.ts'];

export default defineConfig({
  plugins: [localImports],
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    globalSetup: ['scripts/test-support/announce-seed.ts'],
    passWithNoTests: false,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          environment: 'node',
          include: [
            'packages/*/test/**/*.test.ts',
            'apps/*/test/**/*.test.{ts,tsx}',
            'examples/test/**/*.test.ts',
            'scripts/test/**/*.test.ts',
            'benchmarks/test/**/*.test.ts',
          ],
          exclude: browserTests,
          setupFiles: ['scripts/test-support/busy-core.ts', 'scripts/test-support/property-seed.ts'],
          // Threads start sooner than processes. Vitest by itself leaves a core free for its main thread, which has little
          // to do: of two cores, one.
          pool: 'threads',
          // A worker loads the packages once, not once a file: a quarter of the time. Files leave no state behind.
          isolate: false,
          maxWorkers: '100%',
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          environment: 'node',
          include: browserTests,
          setupFiles: ['scripts/test-support/property-seed.ts'],
          // Two pages at a time: most of a test is waiting for frames. A worker builds the studio once.
          maxWorkers: 2,
          isolate: false,
          sequence: { groupOrder: 1 },
          testTimeout: 120_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
