import { CODE, readFiles, TEST } from './source-files.ts';

/** Entry points, which pass the environment to their settings; no other file may read it. */
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

/** Reports uses of `process.env` elsewhere than at the entry of a program (decision 4). */
export function checkEnvironment(root: string): string[] {
  return FOLDERS.flatMap((folder) => readFiles(root, folder, CODE))
    .filter(({ path, text }) => !TEST.test(path) && !READERS.has(path) && /\bprocess\s*\.\s*env\b/.test(text))
    .map(({ path }) => `${path}: reads process.env`);
}
