import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Pure packages: every branch has a test (ARCHITECTURE.md). */
const PURE = ['packages/domain/src', 'packages/protocol/src'];
const SOURCES = ['packages/*/src', 'apps/server/src', 'bench/src', 'tools'];
/** These tests measure times, so nothing else runs at the same time. */
const TIMED = ['e2e/src/route-change.spec.ts', 'e2e/src/changes.cluster.test.ts'];
/** This test needs a Mosquitto broker: `npm run test:broker`. */
const BROKER = 'e2e/src/external-broker.cluster.test.ts';
const NOISE = 'packages/testkit/src/fail-on-noise.ts';

/**
 * Timeout of polls in ms. On a busy machine, operations that usually need milliseconds may take longer than
 * the default of one second.
 */
const POLL_MS = 10_000;

/**
 * Tests with databases, browsers and processes run together, three files at a time: they often wait for alarms,
 * restarts and leases, so that two files leave two cores idle for a fifth of the time and more.
 */
const TOGETHER = { maxWorkers: 3, groupOrder: 1 };
const ALONE = { maxWorkers: 1, groupOrder: 2 };

/** Starts the tests with browsers and processes first: some take minutes, and started last, the run would wait for them. */
class BrowsersAndProcessesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => moduleId.includes('/e2e/');
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

const BUILD = 'tools/cluster.setup.ts';
/** A poll waits for a page or a process, which may be busy with other tests. */
const PATIENT = { maxConcurrency: 2, expect: { poll: { timeout: 30_000 } } };
const PROCESS_LIMITS = { testTimeout: 120_000, hookTimeout: 60_000 };
const BROWSER_LIMITS = { testTimeout: 180_000, hookTimeout: 180_000 };

export default defineConfig({
  test: {
    sequence: { sequencer: BrowsersAndProcessesFirst },
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
          maxWorkers: TOGETHER.maxWorkers,
          sequence: { groupOrder: TOGETHER.groupOrder },
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
      ...[
        { name: 'e2e', include: ['e2e/src/**/*.spec.ts'], exclude: TIMED, ...BROWSER_LIMITS, ...TOGETHER },
        {
          name: 'cluster',
          include: ['e2e/src/**/*.cluster.test.ts'],
          exclude: [BROKER, ...TIMED],
          globalSetup: [BUILD],
          ...PROCESS_LIMITS,
          ...TOGETHER,
        },
        { name: 'timed', include: TIMED, exclude: [], globalSetup: [BUILD], ...PROCESS_LIMITS, ...ALONE },
        {
          name: 'broker',
          include: [BROKER],
          exclude: [],
          globalSetup: ['tools/broker.setup.ts', BUILD],
          ...PROCESS_LIMITS,
          ...ALONE,
        },
      ].map(({ groupOrder, ...project }) => ({
        test: { ...project, ...PATIENT, sequence: { groupOrder } },
      })),
    ],
  },
});
