import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import semver from 'semver';

interface LockEntry {
  version?: string;
  engines?: { node?: string };
  optional?: boolean;
}

/** Packages that exclude the minimum Node version although they run on it, each with the reason. */
const ALLOWED: Record<string, string> = {
  '@mapbox/jsonlint-lines-primitives': 'part of the map library, which runs in browsers only; plain ES5 code',
};

/**
 * Checks the lock file for packages that need a newer Node, including packages for other platforms, because
 * npm only warns about them.
 */
export function checkEngines(root: string, allowed: Record<string, string> = ALLOWED): string[] {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockEntry>;
  };
  const promised = (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as LockEntry).engines?.node;
  const lowest = semver.minVersion(promised ?? '');
  if (!lowest) return ['package.json: engines.node names no version'];
  const excluded = Object.entries(lock.packages)
    .filter(([, { engines }]) => engines?.node && !semver.satisfies(lowest, engines.node))
    .map(([path, { version, engines }]) => ({
      name: path.replace(/^.*node_modules\//, ''),
      text: `package-lock.json: ${path} ${version} wants Node ${engines?.node}, we promise ${promised}`,
    }));
  return [
    ...excluded.filter(({ name }) => !allowed[name]).map(({ text }) => text),
    ...Object.keys(allowed)
      .filter((name) => !excluded.some((entry) => entry.name === name))
      .map((name) => `tools/check-engines.ts: ${name} needs no exception any more`),
  ];
}
