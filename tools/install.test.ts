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
  ['nothing there', undefined, false, false],
  ['all there', { ...fastify, ...vitest }, true, true],
  ['what it takes to run', fastify, true, false],
  ['one missing', vitest, false, false],
  ['another version', { ...vitest, 'node_modules/fastify': { version: '5.12.7' } }, false, false],
  ['one too many', { ...fastify, ...vitest, 'node_modules/left': { version: '1.0.0' } }, false, false],
  [
    'a binary that the lock file does not know',
    { ...fastify, ...vitest, 'node_modules/mac-only': { version: '1.0.0', optional: true } },
    true,
    true,
  ],
])('installed packages are compared with the lock file: %s', (_name, present, enoughToRun, everything) => {
  expect(isInstalled(wanted, present, false)).toBe(enoughToRun);
  expect(isInstalled(wanted, present, true)).toBe(everything);
});
