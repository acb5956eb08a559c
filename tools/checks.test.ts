import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkEngines } from './check-engines.ts';
import { checkEnvironment } from './check-environment.ts';
import { checkWords } from './check-words.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'isotherm-checks-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

function lock(engines: Record<string, string>): void {
  write('package.json', '{ "engines": { "node": ">=20.19" } }');
  const packages = Object.fromEntries(
    Object.entries(engines).map(([name, node]) => [
      `node_modules/${name}`,
      { version: '1.0.0', engines: { node } },
    ]),
  );
  write('package-lock.json', JSON.stringify({ packages }));
}

test.each([
  ['>=22', 1],
  ['^20.20.0 || >=22.12', 1],
  ['>=20.20', 1],
  ['^20.19.0 || >=22.12', 0],
  ['>=18', 0],
  ['*', 0],
])('a package that wants Node %s: %i finding', (node, findings) => {
  lock({ picky: node });
  expect(checkEngines(root, {})).toHaveLength(findings);
});

test('an exception is allowed while it is needed', () => {
  lock({ picky: '>=22' });
  expect(checkEngines(root, { picky: 'runs on 20' })).toEqual([]);
  lock({ picky: '>=20' });
  expect(checkEngines(root, { picky: 'runs on 20' })).toEqual([
    'tools/check-engines.ts: picky needs no exception any more',
  ]);
});

test('only the configuration reads the environment', () => {
  write('apps/server/src/config.ts', 'process.env.PORT');
  write('apps/server/src/platform/log.ts', 'process.env.LEVEL');
  write('apps/server/src/platform/log.test.ts', 'process.env.LEVEL');
  write('packages/domain/src/alarms/rule.ts', 'process .env');
  expect(checkEnvironment(root)).toEqual([
    'apps/server/src/platform/log.ts: reads process.env',
    'packages/domain/src/alarms/rule.ts: reads process.env',
  ]);
});

test.each([
  ['src/a.ts', `open('${['', 'home', 'ada', 'notes.txt'].join('/')}')`],
  ['docs/a.md', ['see', ['', 'root', 'x'].join('/')].join(' ')],
  ['src/a.ts', `// ${'TO'}${'DO'} later`],
  ['src/a.test.ts', `test${'.'}skip('x')`],
  ['package-lock.json', '"resolved": "https:'.concat('//registry.example/x.tgz"')],
  ['.npmrc', 'registry'.concat('=https://registry.example')],
])('%s with %j is reported', (file, text) => {
  write(file, text);
  expect(checkWords(root, [file])).toHaveLength(1);
});

test.each([
  ['src/a.ts', "fetch('/api/work/1'); import '../home/page.ts'; join(root, 'work', 'x')"],
  ['src/b.ts', "path === '/rooted' || '/homely/x' || '/workspace/x'"],
])('%s with %j is not', (file, text) => {
  write(file, text);
  expect(checkWords(root, [file])).toEqual([]);
});
