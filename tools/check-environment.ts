import { CODE, readFiles, TEST } from './source-files.ts';

/** Each program's entry hands the environment to its settings; nobody else knows that there is one. */
const READERS = new Set([
  'apps/server/src/main.ts',
  'apps/server/src/config.ts',
  'packages/simulator/src/cli.ts',
]);
const FOLDERS = [
  'apps/server/src',
  'apps/web/src',
  ...['domain', 'protocol', 'contracts', 'i18n', 'launcher', 'simulator'].map(
    (name) => `packages/${name}/src`,
  ),
];

/** Settings come in one way: `process.env` stands at the entry of a program only (decision 4). */
export function checkEnvironment(root: string): string[] {
  return FOLDERS.flatMap((folder) => readFiles(root, folder, CODE))
    .filter(({ path, text }) => !TEST.test(path) && !READERS.has(path) && /\bprocess\s*\.\s*env\b/.test(text))
    .map(({ path }) => `${path}: reads process.env`);
}
