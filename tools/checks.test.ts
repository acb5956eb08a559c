import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkButtons } from './check-buttons.ts';
import { checkClasses } from './check-classes.ts';
import { checkEngines } from './check-engines.ts';
import { checkEnvironment } from './check-environment.ts';
import { checkGlossary } from './check-glossary.ts';
import { checkLockFile } from './check-lock-file.ts';
import { checkSpreads } from './check-spreads.ts';
import { checkStyles } from './check-styles.ts';
import { checkTextIds, TEXT_IDS, textIdsSource } from './check-text-ids.ts';
import { checkWords } from './check-words.ts';
import { checkTokens, generatedFiles, readTokens, TOKENS } from './design-tokens.ts';

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
])('a package that needs Node %s gives %i findings', (node, findings) => {
  lock({ picky: node });
  expect(checkEngines(root, {})).toHaveLength(findings);
});

test('an exception for a package is allowed only while it is needed', () => {
  lock({ picky: '>=22' });
  expect(checkEngines(root, { picky: 'runs on 20' })).toEqual([]);
  lock({ picky: '>=20' });
  expect(checkEngines(root, { picky: 'runs on 20' })).toEqual([
    'tools/check-engines.ts: picky needs no exception any more',
  ]);
});

test.each([
  ['<button className="button button-primary end">x</button>', 1],
  ["<a className={open ? 'button' : 'row'}>x</a>", 1],
  ['<b className={`link-button`}>x</b>', 1],
  ['<Button variant="primary" className="end">x</Button>', 0],
  ['<i className="counts-button" role=\'button\'>x</i>', 0],
])('literal button classes give the right number of findings: %s, %i', (tag, findings) => {
  write('apps/web/src/features/alarms/a.tsx', `export const a = ${tag};`);
  write('apps/web/src/shared/ui/button.tsx', '<button className="button">x</button>');
  expect(checkButtons(root)).toHaveLength(findings);
});

test.each([
  ['features/alarms/a.css', '.alarm-row .panel > .icon { margin: 0 }', []],
  ['features/alarms/a.css', '.panel.alarm-row, .alarm-level-3 { margin: 0 }', []],
  ['features/alarms/a.css', '@media print { .ant-tabs .alarm-row { margin: 0 } }', []],
  [
    'features/alarms/a.css',
    '.panel > .icon { margin: 0 }',
    ['.panel is shared; name a class of alarms beside it'],
  ],
  [
    'features/assets/a.css',
    '.alarm-row { margin: 0 }',
    [
      '.alarm-row begins like classes of alarms and assets',
      '.alarm-row begins like classes of alarms and assets',
    ],
  ],
  ['features/alarms/a.css', '.alarm-gone { margin: 0 }', ['.alarm-gone is used nowhere']],
])('classes of components are checked in %s: %s', (file, text, findings) => {
  write('apps/web/src/shared/ui/base.css', '.panel > .icon { margin: 0 }');
  write('apps/web/src/features/alarms/alarms.css', '.alarm-row { margin: 0 }');
  write(
    'apps/web/src/app/shell.tsx',
    ['const used = `panel icon shell alarm-row alarm-level-', '{level}`;'].join('$'),
  );
  write(`apps/web/src/${file}`, text);
  expect(checkClasses(root).map((each) => each.replace(/^\S+ /, ''))).toEqual(findings);
});

test.each([
  ['.a { font-size: 12px; }', 1],
  ['.a { font: 400 13px / 20px var(--font); }', 1],
  ['.a { border-top-left-radius: 4px }', 1],
  ['.a { border-radius: var(--radius-sm) 3px 0 0; }', 1],
  ['.a { z-index: 7; }', 1],
  ['@media (max-width: 640px) { .a { color: red; } }', 1],
  ['@media (max-width: 600px), (hover: none) { .a { border-radius: 50%; } }', 0],
  ['.a { font: 400 var(--type-body) / 20px var(--font); font-size: 9pt; border-radius: 0; }', 0],
  ['.a { z-index: var(--z-top); max-width: 640px; }', 0],
  ['.alarm-row { padding: 6px var(--space-2); }', 1],
  ['.alarm-row { margin: -10px; row-gap: 4px; }', 2],
  ['.alarm-row { padding: 1px calc(var(--space-2) + 1px); margin: 0 auto; gap: 0; }', 0],
])('literal sizes give the right number of findings: %s, %i', (text, findings) => {
  write('apps/web/src/features/alarms/a.css', text);
  const names = ['font', 'radius-sm', 'type-body', 'z-top', 'space-2'];
  const tokens = names.map((name) => `--${name}: 1px;`).join(' ');
  write('apps/web/src/shared/ui/tokens.gen.css', `:root { ${tokens} z-index: 3; }`);
  expect(checkStyles(root, [600, 991])).toHaveLength(findings);
});

test('a variable that is defined nowhere is reported; a component may define one', () => {
  write(
    'apps/web/src/features/alarms/a.css',
    '.a { color: var(--level-fg); border: 1px solid var(--border); }',
  );
  write('apps/web/src/features/alarms/a.tsx', "const style = { '--level-fg': 'red' };");
  expect(checkStyles(root, [])).toEqual(['apps/web/src/features/alarms/a.css:1: --border is not defined']);
});

test('a literal size inside a chart is reported', () => {
  write('apps/web/src/shared/chart/a.ts', 'const style = { fontSize: 11, lineWidth: CHART.line, r: 2 };');
  write('apps/web/src/shared/chart/a.test.ts', 'const style = { fontSize: 11 };');
  expect(checkStyles(root, [])).toHaveLength(2);
});

test('generated tokens are compared with their source, and an unresolved reference is an error', () => {
  const themed = { light: {}, dark: {} };
  const tokens = {
    color: { light: { unknown: { hatch: '#cbd2d8' } }, dark: { unknown: { hatch: '#303c45' } } },
    shadow: themed,
    font: { family: 'Inter', 'family-zh-tw': 'Inter', mono: 'monospace' },
    type: { small: 12 },
    radius: {},
    space: {},
    z: {},
    chart: { text: '{type.small}' },
    breakpoint: { narrow: 991 },
    motion: { ease: 'linear' },
    antd: { token: { colorText: '{color.unknown.hatch}', fontSize: '{type.small}' } },
  };
  write(TOKENS, JSON.stringify(tokens));
  const files = Object.entries(generatedFiles(readTokens(root)));
  for (const [path, text] of files) write(path, text);
  expect(checkTokens(root)).toEqual([]);
  const css = files.find(([path]) => path.endsWith('.css'))?.[1];
  expect(css).toContain('--type-small: 12px;');
  expect(css).toContain('%23303c45');
  expect(files.find(([path]) => path.endsWith('.ts'))?.[1]).toContain('"colorText": "#303c45"');
  write(TOKENS, JSON.stringify({ ...tokens, type: { small: 11 } }));
  expect(checkTokens(root)).toHaveLength(2);
  write(TOKENS, JSON.stringify({ ...tokens, antd: { a: '{type.large}' } }));
  expect(() => checkTokens(root)).toThrow('{type.large} refers to nothing');
});

test('only the configuration may read the environment', () => {
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
])('a file %s with the content %j is reported', (file, text) => {
  write(file, text);
  expect(checkWords(root, [file])).toHaveLength(1);
});

test.each([
  ['src/a.ts', "fetch('/api/work/1'); import '../home/page.ts'; join(root, 'work', 'x')"],
  ['src/b.ts', "path === '/rooted' || '/homely/x' || '/workspace/x'"],
])('a file %s with the content %j is allowed', (file, text) => {
  write(file, text);
  expect(checkWords(root, [file])).toEqual([]);
});

test('an optional platform package missing in the lock file is reported, wherever npm could have put it', () => {
  const packages = {
    'node_modules/compiler': {
      optionalDependencies: { '@compiler/linux': '1.0.0', '@compiler/mac': '1.0.0' },
    },
    'node_modules/@compiler/linux': { optional: true },
    'node_modules/tool/node_modules/parser': { optionalDependencies: { '@parser/linux': '2.0.0' } },
    'node_modules/tool/node_modules/@parser/linux': { optional: true },
  };
  write('package-lock.json', JSON.stringify({ packages }));
  expect(checkLockFile(root)).toEqual(['package-lock.json: node_modules/compiler needs @compiler/mac 1.0.0']);
});

test.each([
  ['en', 'asset.tab.curve', 'Curve', 'chart'],
  ['en', 'common.conflict.title', 'Somebody else was faster', 'someone else'],
  ['zh-CN', 'asset.kind.cold-box', '冷藏箱', '保温箱'],
  ['zh-TW', 'devices.title', '設備', '裝置'],
  ['zh-TW', 'validations.studies', '驗證方案', '確效'],
  ['es', 'commands.cancel', 'Retirar la orden', 'comando'],
])('the glossary check reports in %s, %s the text “%s”', (language, id, message, use) => {
  write(`packages/i18n/locales/${language}/page.json`, JSON.stringify({ [id]: message }));
  expect(checkGlossary(root)).toEqual([expect.stringContaining(use)]);
});

test.each([
  ['en', 'asset.tab.curve', 'Chart'],
  ['zh-TW', 'login.code', '驗證碼'],
  ['zh-TW', 'devices.type.logger', '記錄器'],
  ['es', 'settings.menu.drag', 'Arrastre las entradas para reordenarlas'],
  ['es', 'login.wechat.how', 'Busque la cuenta oficial'],
])('the glossary check accepts in %s, %s the text “%s”', (language, id, message) => {
  write(`packages/i18n/locales/${language}/page.json`, JSON.stringify({ [id]: message }));
  expect(checkGlossary(root)).toEqual([]);
});

test('the type of text ids names every English file', () => {
  write('packages/i18n/locales/en/alarms.json', '{}');
  write(TEXT_IDS, textIdsSource(root));
  expect(checkTextIds(root)).toEqual([]);
  write('packages/i18n/locales/en/waybills.json', '{}');
  expect(checkTextIds(root)).toEqual([`${TEXT_IDS} is out of date: run npm run generate:text-ids`]);
});

test('a spread of a literal is reported, and a spread of a result is not', () => {
  const dots = '.'.repeat(3);
  write('packages/a/src/a.ts', `const a = {\n  ${dots}{ b: 1 },\n};\nconst c = [${dots}[1], 2];`);
  write(
    'packages/a/src/fine.tsx',
    `const a = { ${dots}b, ${dots}(c ? { d } : {}) };\n// ${dots}{ e }\nf(${dots}[1].map(g));`,
  );
  expect(checkSpreads(root)).toEqual(['packages/a/src/a.ts:2', 'packages/a/src/a.ts:4']);
});
