import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

const SOURCES = ['packages/*/src', 'apps/server/src', 'bench/src', 'tools'];
const NOISE = 'packages/testkit/src/fail-on-noise.ts';

/** Pure packages: every branch is a rule of the product, so every branch has a test (house.md, Tests). */
const PURE = ['packages/domain/src/**/*.ts', 'packages/protocol/src/**/*.ts'];

export default defineConfig({
  test: {
    coverage: {
      provider: 'v8',
      include: PURE,
      exclude: ['**/*.test.ts'],
      reporter: ['text'],
      thresholds: { branches: 100, functions: 100, lines: 100, statements: 100 },
    },
    projects: [
      {
        test: {
          name: 'unit',
          include: SOURCES.map((folder) => `${folder}/**/*.test.ts`),
          exclude: ['**/*.db.test.ts', '**/node_modules/**'],
          setupFiles: [NOISE],
        },
      },
      {
        test: {
          name: 'db',
          include: SOURCES.map((folder) => `${folder}/**/*.db.test.ts`),
          exclude: ['**/node_modules/**'],
          globalSetup: ['tools/test-database.setup.ts'],
          setupFiles: [NOISE],
          // Processes and the database share two cores with the tests.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
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
          setupFiles: [NOISE],
          testTimeout: 20_000,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['e2e/src/**/*.spec.ts'],
          // One journey at a time: each drives all processes and a browser.
          fileParallelism: false,
          sequence: { groupOrder: 2 },
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
