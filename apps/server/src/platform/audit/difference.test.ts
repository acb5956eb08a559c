import { describe, expect, it } from 'vitest';
import { difference, isUnchanged } from './difference.ts';
import { canonicalJson, plain, storable } from './plain.ts';

describe('content of an audit entry', () => {
  it.each([
    ['a created object is stored completely', null, { name: 'a', level: 1 }, null, { name: 'a', level: 1 }],
    ['a deleted object is stored completely', { name: 'a' }, null, { name: 'a' }, null],
    [
      'a changed object is stored with the fields that differ',
      { name: 'a', level: 1, code: 'X' },
      { name: 'b', level: 1, code: 'X' },
      { name: 'a' },
      { name: 'b' },
    ],
    [
      'a field that was added',
      { name: 'a' },
      { name: 'a', place: 'Hall' },
      { place: null },
      { place: 'Hall' },
    ],
    [
      'a field that was removed',
      { name: 'a', place: 'Hall' },
      { name: 'a' },
      { place: 'Hall' },
      { place: null },
    ],
    ['null and absent are the same', { name: 'a', place: null }, { name: 'a' }, {}, {}],
    [
      'the order of keys does not count as a change',
      { t: { en: 'A', es: 'B' } },
      { t: { es: 'B', en: 'A' } },
      {},
      {},
    ],
    [
      'the order of a list counts as a change',
      { roles: ['a', 'b'] },
      { roles: ['b', 'a'] },
      { roles: ['a', 'b'] },
      { roles: ['b', 'a'] },
    ],
    [
      'moments by their time',
      { at: new Date(0) },
      { at: new Date(1) },
      { at: '1970-01-01T00:00:00.000Z' },
      { at: '1970-01-01T00:00:00.001Z' },
    ],
    ['sets as lists', null, { codes: new Set(['a']) }, null, { codes: ['a'] }],
    ['neither side has a value', null, null, null, null],
  ])(
    'an entry contains the old and new values that differ: %s',
    (_name, before, after, wantedBefore, wantedAfter) => {
      expect(difference(before, after)).toEqual({ before: wantedBefore, after: wantedAfter });
    },
  );

  it.each([
    ['two equal sides', { a: 1 }, { a: 1 }, true],
    ['two different sides', { a: 1 }, { a: 2 }, false],
    ['a created object without fields', null, {}, false],
    ['nothing to compare', null, null, false],
  ])('a change without a difference is detected: %s', (_name, before, after, unchanged) => {
    expect(isUnchanged(difference(before, after))).toBe(unchanged);
  });

  it('two values that differ only in a secret have no difference', () => {
    expect(difference({ password: 'a' }, { password: 'b' })).toEqual({ before: {}, after: {} });
  });
});

describe('removal of secrets from audit entries', () => {
  it.each([
    'password',
    'newPassword',
    'old_password',
    'password_hash',
    'passwordHash',
    'initialPassword',
    'token',
    'resetToken',
    'session_token',
    'secret',
    'totpSecret',
    'totp_secret',
    'client-secret',
    'key',
    'apiKey',
    'api_key',
    'deviceKey',
    'keyHash',
    'key_hash',
    'codeHash',
    'recoveryCodes',
    'recovery_codes',
    'verificationCode',
    'otp',
    'pin',
    'nonce',
    'salt',
    'sealed',
    'cipher',
    'signature',
    'authorization',
  ])('a secret is removed: %s', (name) => {
    expect(plain({ [name]: 'x', kept: 1 })).toEqual({ kept: 1 });
    expect(plain({ inner: [{ [name]: 'x' }] })).toEqual({ inner: [{}] });
  });

  it.each([
    ['mustChangePassword', true],
    ['code', 'ORG-1'],
    ['tokens_left_over', 3],
    ['keyboard', 'x'],
    ['title', 'Key cabinet'],
  ])('%s is not removed as a secret', (name, value) => {
    expect(plain({ [name]: value })).toEqual({ [name]: value });
  });
});

describe('canonical text for hashing', () => {
  it.each([
    ['NUL is dropped', 'a\u0000b', 'ab'],
    ['an unpaired surrogate is replaced', 'a\ud800b', 'a\ufffdb'],
    ['other characters stay', '冷链 🧊', '冷链 🧊'],
    ['long text is cut', 'x'.repeat(5_000), 'x'.repeat(4_000)],
  ])('text is changed so that the database can store it: %s', (_name, text, wanted) => {
    expect(storable(text)).toBe(wanted);
  });
  it.each([
    ['bytes as their number', Buffer.from('abc'), '3 bytes'],
    ['NaN as text', Number.NaN, 'NaN'],
    ['large integers as text', 12n, '12'],
    ['maps by their keys', new Map([['a', 1]]), { a: 1 }],
    ['undefined as null', undefined, null],
    ['undefined fields are omitted', { a: undefined, b: 1 }, { b: 1 }],
  ])('a value is stored as JSON: %s', (_name, value, wanted) => {
    expect(plain(value)).toEqual(wanted);
  });
  it('the hashed text is equal for equal values', () => {
    expect(canonicalJson({ b: [{ d: 1, c: 2 }], a: null })).toBe('{"a":null,"b":[{"c":2,"d":1}]}');
  });
});
