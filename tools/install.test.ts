import { expect, test } from 'vitest';
import { isInstalled } from './install.mjs';

const fastify = { 'node_modules/fastify': { version: '5.12.8' } };
const vitest = { 'node_modules/vitest': { version: '4.1.12', dev: true } };
const wanted = {
  '': {},
  ...fastify,
  ...vitest,
  'node_modules/win-only': { version: '1.0.0', optional: true },
};

test.each([
  ['no package is installed', undefined, false, false],
  ['all packages are installed', { ...fastify, ...vitest }, true, true],
  ['only the packages for running are installed', fastify, true, false],
  ['one package is missing', vitest, false, false],
  ['another version', { ...vitest, 'node_modules/fastify': { version: '5.12.7' } }, false, false],
  [
    'there is an additional package',
    { ...fastify, ...vitest, 'node_modules/left': { version: '1.0.0' } },
    false,
    false,
  ],
  [
    'a binary that is not in the lock file',
    { ...fastify, ...vitest, 'node_modules/mac-only': { version: '1.0.0', optional: true } },
    true,
    true,
  ],
])('installed packages are compared with the lock file: %s', (_name, present, enoughToRun, everything) => {
  expect(isInstalled(wanted, present, false)).toBe(enoughToRun);
  expect(isInstalled(wanted, present, true)).toBe(everything);
});
