import { PERMISSIONS } from '@isotherm/domain/access/permissions';
import { describe, expect, it } from 'vitest';
import { LANGUAGES } from './languages.ts';
import { fieldsInWords, fieldWord, kindWord, valueWords } from './log-words.ts';
import { permissionWords, type Say } from './permission-words.ts';
import { createTranslator } from './translator.ts';

const translate = createTranslator();
const english: Say = (id, params) => translate('en', id, params);
const chinese: Say = (id, params) => translate('zh-CN', id, params);

describe('an entry of the audit log as text', () => {
  it.each([
    ['user', 'realname', 'Full name'],
    ['user', 'accountType', 'Account type'],
    ['organization', 'level', 'Level'],
    ['registration-settings', 'enabled', 'Self-registration'],
    ['dictionary', 'enabled', 'Enabled'],
    ['payload-mapping', 'deviceModel', 'Model'],
    ['crate', 'colour', 'colour'],
    ['user', 'constructor', 'constructor'],
  ])('for the kind %s, the field %s has the label %s', (kind, field, word) => {
    expect(fieldWord(kind, field, english)).toBe(word);
  });

  it.each([
    ['user', 'accountType', 'top-agent', 'Top agent'],
    ['user', 'roles', ['operator', 'Night shift'], 'Operator, Night shift'],
    ['user', 'language', 'es', 'Español'],
    ['user', 'language', '', ''],
    ['user', 'settlement', 'shared', 'Shared settlement'],
    ['user', 'realname', 'operator', 'operator'],
    ['asset', 'type', 'freezer-car', 'Freezer truck'],
    ['organization', 'level', 'hq', 'Head office'],
    ['organization', 'level', 'planet', 'planet'],
    ['role', 'permissions', ['management-users:edit', 'own:thing'], 'Users: Edit, own:thing'],
    ['role', 'requiresSecondFactor', true, 'yes'],
    ['dictionary', 'titles', { en: 'Left', 'zh-CN': '离职' }, 'English: Left; 简体中文: 离职'],
    ['command', 'kind', 'acquisition-interval', 'Acquisition interval'],
    ['command', 'indicator', 'humidity', 'Humidity'],
    ['log', 'objectKind', 'user', 'User'],
    [
      'payload-mapping',
      'temperature-1',
      { path: 't10', factor: 0.1, offset: 0 },
      'Factor: 0.1; Offset: 0; Name in payload: t10',
    ],
    ['crate', 'weight', 0, '0'],
    ['crate', 'weight', null, ''],
    ['crate', 'note', '<img onerror>', '<img onerror>'],
  ])('for the kind %s, the field %s with the value %j is shown as %s', (kind, field, value, words) => {
    expect(valueWords(kind, field, value, english)).toBe(words);
  });

  it('all old or all new values are one line of text in the user’s language', () => {
    const side = { realname: '王芳', accountType: 'staff', disabled: false };
    expect(fieldsInWords('user', side, chinese)).toBe('账号类型：员工; disabled：否; 姓名：王芳');
  });

  it('known kinds are translated, and others are unchanged', () => {
    expect(kindWord('role', english)).toBe('Role');
    expect(kindWord('crate', english)).toBe('crate');
  });
});

it.each(LANGUAGES)('every permission has a text in the language %s', (language) => {
  const asked = new Set<string>();
  const say: Say = (id, params) => {
    const words = translate(language, id, params);
    if (words === id) asked.add(id);
    return words;
  };
  for (const code of PERMISSIONS) permissionWords(code, say);
  expect([...asked]).toEqual([]);
});
