import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const SKIPPED = new Set(['node_modules', 'dist', 'coverage', '.git', '.isotherm']);

export interface SourceFile {
  /** Path relative to the root, with forward slashes. */
  path: string;
  text: string;
}

/**
 * Reads all files below `folder` whose path `wanted` accepts, sorted by path. A missing folder gives no
 * files.
 */
export function readFiles(root: string, folder: string, wanted: RegExp): SourceFile[] {
  const top = join(root, folder);
  if (!existsSync(top)) return [];
  return readdirSync(top, { withFileTypes: true })
    .filter((entry) => !SKIPPED.has(entry.name))
    .flatMap((entry): SourceFile[] => {
      const path = relative(root, join(top, entry.name)).replaceAll('\\', '/');
      if (entry.isDirectory()) return readFiles(root, path, wanted);
      return wanted.test(path) ? [{ path, text: readFileSync(join(top, entry.name), 'utf8') }] : [];
    })
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

export const CODE = /\.(ts|tsx|mts|mjs|cjs)$/;
export const TEST = /\.(test|spec|setup)\.tsx?$|\/testing\//;
