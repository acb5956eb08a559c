import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

/** Pure packages: every branch has a test (ARCHITECTURE.md). */
const PURE = ['packages/domain/src', 'packages/protocol/src'];
const SOURCES = ['packages/*/src', 'apps/server/src', 'bench/src', 'tools'];
const TIMED = 'e2e/src/route-change.spec.ts';
/** This test needs a Mosquitto broker: `npm run test:broker`. */
const BROKER = 'e2e/src/external-broker.cluster.test.ts';
const NOISE = 'packages/testkit/src/fail-on-noise.ts';

/**
 * Timeout of polls in ms. On a busy machine, operations that usually need milliseconds may take longer than
 * the default of one second.
 */
const POLL_MS = 10_000;

const BUILD = 'tools/cluster.setup.ts';
const CLUSTER = {
  // One test starts a dozen processes, which keep both cores busy. So only one file runs at a time, with
  // nothing else in parallel.
  maxWorkers: 1,
  sequence: { groupOrder: 3 },
  expect: { poll: { timeout: 30_000 } },
  testTimeout: 120_000,
  hookTimeout: 60_000,
};

export default defineConfig({
  test: {
    coverage: {
      provider: 'v8',
      include: PURE.map((folder) => `${folder}/**/*.ts`),
      exclude: ['**/*.test.ts'],
      reporter: ['text'],
      thresholds: { branches: 100, functions: 100 },
    },
    projects: [
      {
        test: {
          name: 'pure',
          include: PURE.map((folder) => `${folder}/**/*.test.ts`),
          setupFiles: [NOISE],
          // Projects with different numbers of workers need separate groups.
          sequence: { groupOrder: 4 },
        },
      },
      {
        test: {
          name: 'unit',
          include: [...SOURCES.map((folder) => `${folder}/**/*.test.ts`), 'apps/web/*.test.ts'],
          maxWorkers: 2,
          expect: { poll: { timeout: POLL_MS } },
          exclude: [...PURE.map((folder) => `${folder}/**`), '**/*.db.test.ts', '**/node_modules/**'],
          setupFiles: [NOISE],
          // The boundary check reads a tree per test, which takes longer than the default 5 s under load.
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'db',
          // Each file has its own database and server. The files share their imports, which would take a
          // third of the time.
          isolate: false,
          include: SOURCES.map((folder) => `${folder}/**/*.db.test.ts`),
          exclude: ['**/node_modules/**'],
          globalSetup: ['tools/test-database.setup.ts'],
          setupFiles: [NOISE],
          // Processes and the database share two cores with the tests.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
          expect: { poll: { timeout: POLL_MS } },
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        plugins: [react()],
        test: {
          name: 'web',
          include: ['apps/web/src/**/*.test.{ts,tsx}'],
          environment: 'jsdom',
          isolate: false,
          maxWorkers: 2,
          setupFiles: [NOISE, 'apps/web/src/shared/testing/one-browser.setup.ts'],
          testTimeout: 20_000,
        },
      },
      {
        test: {
          name: 'cluster',
          include: ['e2e/src/**/*.cluster.test.ts'],
          exclude: [BROKER],
          globalSetup: [BUILD],
          ...CLUSTER,
        },
      },
      {
        test: {
          name: 'broker',
          include: [BROKER],
          globalSetup: ['tools/broker.setup.ts', BUILD],
          ...CLUSTER,
        },
      },
      ...[
        // Two files run at a time, as of the db tests, whose workers they share: an end-to-end test mostly waits
        // for alarms, restarts and pages.
        { name: 'e2e', exclude: [TIMED], maxWorkers: 2, groupOrder: 1 },
        // These files measure times of page changes, so no other file runs at the same time.
        { name: 'e2e-timed', include: [TIMED], maxWorkers: 1, groupOrder: 2 },
      ].map(({ name, include = ['e2e/src/**/*.spec.ts'], exclude = [], maxWorkers, groupOrder }) => ({
        test: {
          name,
          include,
          exclude,
          maxWorkers,
          maxConcurrency: 2,
          sequence: { groupOrder },
          // A poll waits for a page and its server, which may be busy with other tests.
          expect: { poll: { timeout: 30_000 } },
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      })),
    ],
  },
});
