import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');

const IGNORED = new Set(['node_modules', 'dist', 'coverage', '.isotherm']);

/**
 * Returns a hash of the names and contents of everything under `paths` (relative to the project), without
 * tests.
 * @param {string[]} paths
 */
export function contentHash(paths) {
  const hash = createHash('sha256').update(process.version);
  for (const path of [...paths].sort()) {
    for (const file of filesUnder(join(ROOT, path)).sort()) {
      hash.update(`\0${relative(ROOT, file)}\0`).update(readFileSync(file));
    }
  }
  return hash.digest('hex');
}

/** @param {string} path @returns {string[]} */
function filesUnder(path) {
  if (!existsSync(path)) return [];
  let entries;
  try {
    entries = readdirSync(path, { withFileTypes: true });
  } catch {
    return [path]; // The path is a file.
  }
  return entries.flatMap((entry) => {
    if (IGNORED.has(entry.name) || /\.(test|spec)\.tsx?$/.test(entry.name)) return [];
    const child = join(path, entry.name);
    return entry.isDirectory() ? filesUnder(child) : [child];
  });
}

/**
 * Returns access to a stored hash: `fresh` is true if the last stored hash is the same.
 * @param {string} file relative to the project
 * @param {string} hash
 */
export function stamp(file, hash) {
  const path = join(ROOT, file);
  return {
    fresh: existsSync(path) && readFileSync(path, 'utf8') === hash,
    record() {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, hash);
    },
  };
}
