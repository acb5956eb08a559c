import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const BINARY = /\.(png|jpe?g|gif|ico|woff2?|ttf|mp3|wav|pdf)$/;

/** Words that are forbidden, split so that this file does not match itself. */
const FORBIDDEN: { what: string; pattern: RegExp; only?: RegExp }[] = [
  {
    what: 'a path of one machine',
    pattern: /(?<![\w.~-])\/(?:root|home\/[a-z]+|Users\/[A-Za-z]+|work)\/[\w.-]+/,
  },
  {
    what: 'an unfinished note',
    pattern: new RegExp(`\\b(?:${['TO', 'FIX'].map((a, i) => a + ['DO', 'ME'][i]).join('|')})\\b`),
  },
  { what: 'a switched-off test', pattern: /\b(?:test|it|describe)\.(?:skip|only|todo)\b/, only: /\.tsx?$/ },
  {
    what: 'a signal whose time-out may be collected as garbage (use abortAfter)',
    pattern: /\bAbortSignal\.any\(/,
    only: /^apps\/server\/src\/.*\.ts$/,
  },
  { what: 'a registry address', pattern: /"resolved": "https?:/, only: /package-lock\.json$/ },
  { what: 'a registry address', pattern: /^\s*(?:@[\w-]+:)?registry\s*=/m, only: /\.npmrc$/ },
];

/** Checks that sources contain no machine paths, no registry addresses and no markers of unfinished work. */
export function checkWords(root: string, files: string[] = trackedFiles(root)): string[] {
  return files
    .filter((file) => !BINARY.test(file))
    .flatMap((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      return FORBIDDEN.filter(({ pattern, only }) => (only?.test(file) ?? true) && pattern.test(text)).map(
        ({ what, pattern }) => `${file}: ${what}: ${text.match(pattern)?.[0]}`,
      );
    });
}

/** Returns the files that git would commit; an empty list without git. */
function trackedFiles(root: string): string[] {
  const list = spawnSync('git', ['ls-files', '-co', '--exclude-standard', '--deduplicate'], {
    cwd: root,
    encoding: 'utf8',
  });
  const deleted = spawnSync('git', ['ls-files', '-d'], { cwd: root, encoding: 'utf8' });
  if (list.status !== 0) return [];
  const gone = new Set(deleted.stdout.split('\n'));
  return list.stdout.split('\n').filter((file) => file !== '' && !gone.has(file));
}
