import { expect, test } from 'vitest';
import { isInstalled } from './install.mjs';

const wanted = {
  '': {},
  'node_modules/fastify': { version: '5.12.8' },
  'node_modules/win-only': { version: '1.0.0', optional: true },
};

test.each([
  ['nothing there', undefined, false],
  ['all there', { 'node_modules/fastify': { version: '5.12.8' } }, true],
  ['one missing', {}, false],
  ['another version', { 'node_modules/fastify': { version: '5.12.7' } }, false],
  ['one that is no longer wanted', { ...wanted, 'node_modules/left': { version: '1.0.0' } }, false],
])('%s', (_name, present, installed) => {
  expect(isInstalled(wanted, present)).toBe(installed);
});
