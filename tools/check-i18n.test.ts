import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkI18n } from './check-i18n.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'isotherm-i18n-'));
  catalogue('en', 'alarms', { 'alarms.open': '{count, plural, one {# alarm} other {# alarms}}' });
  catalogue('zh-CN', 'alarms', { 'alarms.open': '{count} 个报警' });
  write('apps/web/src/list.tsx', "text('alarms.open', { count })");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

function catalogue(language: string, name: string, messages: Record<string, string>): void {
  write(`packages/i18n/locales/${language}/${name}.json`, JSON.stringify(messages));
}

test('a correct catalogue has no findings', () => {
  expect(checkI18n(root, [])).toEqual([]);
});

test('a missing translation is reported', () => {
  catalogue('zh-CN', 'alarms', {});
  expect(checkI18n(root, [])).toEqual(['packages/i18n/locales/zh-CN/alarms.json: alarms.open is missing']);
});

test('an id that is missing in English is reported', () => {
  catalogue('zh-CN', 'alarms', { 'alarms.more': '更多', 'alarms.open': '{count} 个报警' });
  expect(checkI18n(root, [])).toEqual([
    'packages/i18n/locales/zh-CN/alarms.json: alarms.more is not in English',
  ]);
});

test('a translation with another placeholder than the English text is reported, also inside a plural', () => {
  catalogue('zh-CN', 'alarms', { 'alarms.open': '{count, plural, other {{number} 个报警}}' });
  expect(checkI18n(root, []).join()).toContain('names {count} {number} where English names {count}');
});

test('a message that cannot be parsed is reported', () => {
  catalogue('zh-CN', 'alarms', { 'alarms.open': '{count, plural}' });
  expect(checkI18n(root, []).join()).toContain('zh-CN/alarms.json: alarms.open does not parse');
});

test('an untranslated sentence is reported', () => {
  catalogue('en', 'alarms', { 'alarms.open': 'Open {count} alarms' });
  catalogue('zh-CN', 'alarms', { 'alarms.open': 'Open {count} alarms' });
  expect(checkI18n(root, [])).toEqual([
    'packages/i18n/locales/zh-CN/alarms.json: alarms.open is still English',
  ]);
});

test('unsorted ids are reported', () => {
  write('apps/web/src/list.tsx', "['alarms.open', 'alarms.a']");
  catalogue('en', 'alarms', { 'alarms.open': '{count}', 'alarms.a': 'a' });
  catalogue('zh-CN', 'alarms', { 'alarms.a': '甲', 'alarms.open': '{count}' });
  expect(checkI18n(root, []).join()).toContain('en/alarms.json: alarms.a is not in its place');
});

test('an id in the file of another feature is reported', () => {
  catalogue('en', 'asset', { 'alarms.open': '{count}' });
  catalogue('zh-CN', 'asset', { 'alarms.open': '{count}' });
  expect(checkI18n(root, []).join()).toContain('en/asset.json: alarms.open belongs into another file');
});

test('an unused id is reported, also if only a test uses it', () => {
  write('apps/web/src/list.tsx', '');
  write('apps/web/src/list.test.tsx', "text('alarms.open')");
  expect(checkI18n(root, [])).toEqual(['packages/i18n/locales/en/alarms.json: alarms.open is used nowhere']);
});

test('a text id that is composed at run time counts as used', () => {
  write('apps/web/src/list.tsx', 'text(`alarms.$'.concat('{state}`)'));
  expect(checkI18n(root, [])).toEqual([]);
});

test('an id that is in no catalogue is reported', () => {
  write('apps/web/src/list.tsx', "text('alarms.open'); text('alarms.opne')");
  expect(checkI18n(root, [])).toEqual(['apps/web/src/list.tsx: alarms.opne is in no catalogue']);
});

test('an error code without a message and a message without a code are reported', () => {
  catalogue('en', 'errors', { 'errors.asset.lost': 'Lost' });
  catalogue('zh-CN', 'errors', { 'errors.asset.lost': '丢失' });
  expect(checkI18n(root, ['alarm.gone'])).toEqual([
    'error code without a sentence: errors.alarm.gone',
    'packages/i18n/locales/en/errors.json: errors.asset.lost is used nowhere',
  ]);
});
