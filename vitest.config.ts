import { defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';
import { localImports } from './scripts/test-support/local-imports.js';

// Workspace packages resolve to their TypeScript sources (docs/decisions/0001), so no test can pass on a stale build.
const conditions = ['poise-source', ...defaultServerConditions];

/** After which a test or a hook hangs, ms: it may be one of several on a machine that is slow and busy. */
const HANGS = 300_000;

/** What judges how much memory a reader needs counts garbage that is not collected yet: with the young generation that Node has by itself. */
const memoryTests = 'packages/cli/test/fuzz/*.test.ts';
const browserTests = ['apps/*/test/**/*.browser.test.{ts,tsx}', 'examples/test/**/*.browser.test.ts'];

export default defineConfig({
  plugins: [localImports],
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    globalSetup: ['scripts/test-support/announce-seed.ts'],
    passWithNoTests: false,
    testTimeout: HANGS,
    hookTimeout: HANGS,
    // That of a poll is a second.
    expect: { poll: { timeout: HANGS / 2 } },
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
          exclude: [...browserTests, memoryTests],
          setupFiles: [
            'scripts/test-support/equal-numbers.ts',
            'scripts/test-support/busy-core.ts',
            'scripts/test-support/property-seed.ts',
          ],
          // Threads start sooner than processes. Vitest by itself leaves a core free for its main thread, which has little
          // to do: of two cores, one.
          pool: 'threads',
          // A worker loads the packages once, not once a file: a quarter of the time. Files leave no state behind.
          isolate: false,
          maxWorkers: '100%',
        },
      },
      {
        extends: true,
        test: {
          name: 'fuzz',
          environment: 'node',
          include: [memoryTests],
          setupFiles: ['scripts/test-support/property-seed.ts'],
          pool: 'forks',
          execArgv: ['--max-semi-space-size=16'],
          isolate: false,
          maxWorkers: '100%',
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          environment: 'node',
          include: browserTests,
          globalSetup: ['scripts/test-support/build-pages.ts'],
          setupFiles: ['scripts/test-support/property-seed.ts'],
          // Two pages at a time: most of a test is waiting for frames.
          maxWorkers: 2,
          isolate: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
