import { CODE, readFiles, TEST } from './source-files.ts';

/** Main hands the environment to the configuration, which reads it; nobody else knows that there is one. */
const READERS = new Set(['apps/server/src/main.ts', 'apps/server/src/config.ts']);
const FOLDERS = [
  'apps/server/src',
  'apps/web/src',
  ...['domain', 'protocol', 'contracts', 'i18n', 'launcher', 'simulator'].map(
    (name) => `packages/${name}/src`,
  ),
];

/** Settings come in one way: `process.env` stands in the server's configuration only (decision 4). */
export function checkEnvironment(root: string): string[] {
  return FOLDERS.flatMap((folder) => readFiles(root, folder, CODE))
    .filter(({ path, text }) => !TEST.test(path) && !READERS.has(path) && /\bprocess\s*\.\s*env\b/.test(text))
    .map(({ path }) => `${path}: reads process.env`);
}
