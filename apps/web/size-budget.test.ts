import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build, type Manifest } from 'vite';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

const CONFIG = fileURLToPath(new URL('vite.config.ts', import.meta.url));
const ENTRY = 'index.html';
const LOGIN = 'src/app/login-page.tsx';
const CIPHER = '../../packages/contracts/src/password-cipher.ts';
const LARGEST_LANGUAGE = '../../packages/i18n/src/entry/es.ts';
/**
 * Size limit of everything that the login page loads, fonts included, compressed with gzip. Browsers load
 * the smaller brotli files.
 */
const LOGIN_BUDGET_BYTES = 215_000;

let folder = '';
let manifest: Manifest = {};

beforeAll(async () => {
  // Without this setting, the test would build the development version of React.
  vi.stubEnv('NODE_ENV', 'production');
  folder = await mkdtemp(path.join(tmpdir(), 'isotherm-console-'));
  await build({ configFile: CONFIG, logLevel: 'silent', mode: 'production', build: { outDir: folder } });
  manifest = JSON.parse(await readFile(path.join(folder, '.vite/manifest.json'), 'utf8')) as Manifest;
}, 120_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Returns a module's file and the files of all modules that it imports statically. */
function filesOf(name: string, found = new Set<string>()): Set<string> {
  const chunk = manifest[name];
  if (!chunk) throw new Error(`${name} is not in the manifest`);
  if (found.has(chunk.file)) return found;
  found.add(chunk.file);
  for (const file of [...(chunk.css ?? []), ...(chunk.assets ?? [])]) found.add(file);
  for (const next of chunk.imports ?? []) filesOf(next, found);
  return found;
}

async function weight(files: Iterable<string>): Promise<number> {
  let sum = 0;
  for (const file of files) {
    const content = await readFile(path.join(folder, file));
    sum += file.endsWith('.woff2') ? content.length : gzipSync(content).length;
  }
  return sum;
}

describe('the bundle size of the console', () => {
  it('the login page stays within its size limit, including fonts, one language and the password encryption', async () => {
    const files = new Set([ENTRY, LOGIN, CIPHER, LARGEST_LANGUAGE].flatMap((name) => [...filesOf(name)]));
    expect([...files].some((file) => file.endsWith('.woff2'))).toBe(true);
    expect(await weight(files)).toBeLessThan(LOGIN_BUDGET_BYTES);
  });

  it('a page without a chart does not load the chart library', () => {
    for (const page of [LOGIN, 'src/app/console.tsx', 'src/app/pages/monitor-wall.page.tsx']) {
      expect([...filesOf(page)].filter((file) => /chart/.test(file))).toEqual([]);
    }
  });
});
