import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface LockEntry {
  optionalDependencies?: Record<string, string>;
}

/**
 * Reports optional dependencies that package-lock.json names but does not contain. Native tools list one
 * package per platform there; if one is missing, `npm ci` refuses the lock file on every platform, and that
 * platform cannot install at all.
 */
export function checkLockFile(root: string): string[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockEntry>;
  };
  return Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies)
      .filter(([name]) => !isInstalledFor(packages, path, name))
      .map(([name, version]) => `package-lock.json: ${path || 'the root'} needs ${name} ${version}`),
  );
}

/** Resolves a package name as Node does: in the node_modules of the package, then of each folder above it. */
function isInstalledFor(packages: Record<string, LockEntry>, path: string, name: string): boolean {
  const folders = path.split('/');
  for (let depth = folders.length; depth >= 0; depth--) {
    const candidate = [...folders.slice(0, depth), 'node_modules', name].filter(Boolean).join('/');
    if (candidate in packages) return true;
  }
  return false;
}
