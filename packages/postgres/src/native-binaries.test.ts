import { mkdirSync, mkdtempSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { linkLibraries } from '@isotherm/postgres/native-binaries';
import { makePrivateFolder } from '@isotherm/postgres/private-folder';
import { afterEach, beforeEach, expect, test } from 'vitest';

let root: string;
let native: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'isotherm-links-'));
  native = join(root, 'native');
  mkdirSync(native);
  writeFileSync(
    join(native, 'pg-symlinks.json'),
    JSON.stringify([{ source: 'native/lib/libz.so.1.2', target: 'native/lib/libz.so.1' }]),
  );
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test('library links, which npm packages cannot contain, are created once', () => {
  mkdirSync(join(native, 'lib'));
  writeFileSync(join(native, 'lib', 'libz.so.1.2'), '');
  expect(linkLibraries(native)).toEqual({});
  expect(readlinkSync(join(native, 'lib', 'libz.so.1'))).toBe('libz.so.1.2');
  expect(linkLibraries(native)).toEqual({});
});

test('if the package folder is read-only, the links are created in another folder, which is returned', () => {
  // If the folder is missing, creating a link fails as in a read-only node_modules.
  const environment = linkLibraries(native);
  const [aside = ''] = Object.values(environment).join('').split(':');
  try {
    expect(readlinkSync(join(aside, 'libz.so.1'))).toBe(join(native, 'lib', 'libz.so.1.2'));
    expect(Object.values(environment)).toEqual([`${aside}:${join(native, 'lib')}`]);
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
});

test('a private folder that is a link of another user is refused', () => {
  const trap = join(root, 'trap');
  symlinkSync(native, trap);
  expect(() => makePrivateFolder(trap, process.getuid?.() ?? 0)).toThrow(/belongs to somebody else/);
});
