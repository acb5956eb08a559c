import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { cruiseBoundaries, RULES } from './check-boundaries.ts';

const PACKAGES = ['domain', 'protocol', 'contracts', 'i18n', 'postgres', 'launcher', 'simulator', 'testkit'];
const FEATURES = 'apps/server/src/features';

/** One violation per rule: a file and its import. */
const PLANTED: Record<string, [file: string, imported: string]> = {
  'domain-imports-nothing': ['packages/domain/src/a.ts', 'node:fs'],
  'protocol-imports-domain': ['packages/protocol/src/a.ts', '@isotherm/contracts/fine'],
  'contracts-import-domain': ['packages/contracts/src/a.ts', '@isotherm/i18n/fine'],
  'i18n-imports-domain': ['packages/i18n/src/a.ts', '@isotherm/contracts/fine'],
  'postgres-stands-alone': ['packages/postgres/src/a.ts', '@isotherm/contracts/fine'],
  'launcher-imports-postgres': ['packages/launcher/src/a.ts', '@isotherm/contracts/fine'],
  'simulator-speaks-protocols': ['packages/simulator/src/a.ts', '@isotherm/postgres/fine'],
  'platform-knows-no-feature': ['apps/server/src/platform/a.ts', '../features/alarms/index.ts'],
  'features-look-down': [`${FEATURES}/alarms/a.ts`, '../../gateways/mqtt.ts'],
  ...Object.fromEntries(
    RULES.filter((rule) => rule.startsWith('feature-order-')).map((rule) => [
      rule,
      [`${FEATURES}/${rule.replace('feature-order-', '')}/a.ts`, '../search/index.ts'],
    ]),
  ),
  'feature-door': [`${FEATURES}/alarms/a.ts`, '../devices/devices.repo.ts'],
  'feature-door-from-outside': ['apps/server/src/gateways/a.ts', '../features/devices/devices.repo.ts'],
  'feature-is-declared': ['apps/server/src/gateways/a.ts', '../features/gossip/index.ts'],
  'gateways-look-down': ['apps/server/src/gateways/a.ts', '../config.ts'],
  'config-stands-alone': ['apps/server/src/config.ts', './platform/log.ts'],
  'compose-does-not-know-main': ['apps/server/src/compose.ts', './main.ts'],
  'main-only-starts': ['apps/server/src/main.ts', './gateways/mqtt.ts'],
  'server-not-web': ['apps/server/src/a.test.ts', '../../web/src/app/main.tsx'],
  'web-not-server': ['apps/web/src/a.test.ts', '@isotherm/server/compose'],
  'web-shared-knows-no-feature': ['apps/web/src/shared/a.ts', '../features/alarms/alarm-list.tsx'],
  'web-features-look-down': ['apps/web/src/features/alarms/a.ts', '../../app/main.tsx'],
  'web-features-are-strangers': ['apps/web/src/features/alarms/a.ts', '../devices/device-list.tsx'],
  'web-app-composes': ['apps/web/src/app/a.ts', '@isotherm/simulator/fine'],
  'packages-know-no-app': ['packages/testkit/src/a.ts', '@isotherm/server/compose'],
  'testkit-in-tests-only': ['apps/server/src/compose.ts', '@isotherm/testkit/fine'],
  'no-cycle': ['packages/domain/src/fine.ts', './fine-too.ts'],
  resolves: ['packages/domain/src/a.ts', './nowhere.ts'],
};

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'isotherm-arrows-')));
  write('tsconfig.json', '{ "compilerOptions": { "module": "esnext", "moduleResolution": "bundler" } }');
  for (const name of PACKAGES) workspace(`packages/${name}`, name);
  workspace('apps/server', 'server');
  workspace('apps/web', 'web');
  write('packages/domain/src/fine-too.ts', "import './fine.ts';");
  for (const file of ['main', 'compose', 'config', 'platform/log', 'gateways/mqtt'])
    write(`apps/server/src/${file}.ts`, '');
  const features = RULES.filter((rule) => rule.startsWith('feature-order-')).map((rule) => rule.slice(14));
  for (const feature of [...features, 'search', 'gossip']) write(`${FEATURES}/${feature}/index.ts`, '');
  write(`${FEATURES}/devices/devices.repo.ts`, '');
  for (const file of ['app/main', 'features/alarms/alarm-list', 'features/devices/device-list'])
    write(`apps/web/src/${file}.tsx`, '');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

function workspace(folder: string, name: string): void {
  write(`${folder}/package.json`, `{ "name": "@isotherm/${name}", "exports": { "./*": "./src/*.ts" } }`);
  write(`${folder}/src/fine.ts`, 'export {};');
  mkdirSync(join(root, 'node_modules/@isotherm'), { recursive: true });
  symlinkSync(join(root, folder), join(root, 'node_modules/@isotherm', name));
}

test('allowed imports are not reported', async () => {
  write('packages/protocol/src/a.ts', "import '@isotherm/domain/fine';");
  write(`${FEATURES}/alarms/a.ts`, "import '../devices/index.ts'; import '@isotherm/contracts/fine';");
  write('apps/server/src/a.test.ts', "import '@isotherm/testkit/fine';");
  const { modules, violations } = await cruiseBoundaries(root);
  expect(modules).toBeGreaterThan(25);
  expect(violations).toEqual([]);
});

test('the test cases contain a violation of every rule', () => {
  expect(Object.keys(PLANTED).sort()).toEqual([...RULES].sort());
});

test.each(Object.entries(PLANTED))(
  'a violation of the rule %s is reported',
  async (rule, [file, imported]) => {
    // The loop includes type-only imports, which also count.
    for (const statement of [
      `import '${imported}';`,
      `import type { T } from '${imported}'; export type U = T;`,
    ]) {
      write(file, statement);
      const { violations } = await cruiseBoundaries(root);
      expect(violations.map((violation) => violation.rule)).toContain(rule);
    }
  },
);
