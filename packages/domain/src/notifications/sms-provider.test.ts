import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  aliyunNumber,
  fillJson,
  judgeAliyun,
  judgeAttempt,
  judgeHttp,
  judgeTencent,
  judgeTwilio,
  shortened,
  textAt,
} from './sms-provider.ts';

describe('responses of Dysms', () => {
  test.each([
    [200, { Code: 'OK', BizId: '900^0' }, { kind: 'sent', providerMessageId: '900^0' }],
    [200, { Code: 'OK' }, { kind: 'sent', providerMessageId: '' }],
    [
      200,
      { Code: 'isv.MOBILE_NUMBER_ILLEGAL', Message: 'bad' },
      { kind: 'refused', error: 'isv.MOBILE_NUMBER_ILLEGAL: bad' },
    ],
    [
      200,
      { Code: 'isv.BUSINESS_LIMIT_CONTROL' },
      { kind: 'unavailable', error: 'isv.BUSINESS_LIMIT_CONTROL' },
    ],
    [400, { Code: 'SignatureDoesNotMatch' }, { kind: 'unavailable', error: 'SignatureDoesNotMatch' }],
    [503, undefined, { kind: 'unavailable', error: 'HTTP 503' }],
    [404, undefined, { kind: 'unavailable', error: 'HTTP 404' }],
    [502, undefined, { kind: 'unknown', error: 'HTTP 502' }],
    [200, undefined, { kind: 'unknown', error: 'HTTP 200' }],
    [200, [], { kind: 'unknown', error: 'HTTP 200' }],
  ])('status %i with %j', (status, body, outcome) => {
    expect(judgeAliyun({ status, body })).toEqual(outcome);
  });
});

test('the response of a call has its id in another field', () =>
  expect(judgeAliyun({ status: 200, body: { Code: 'OK', CallId: '1^2' } }, 'CallId')).toEqual({
    kind: 'sent',
    providerMessageId: '1^2',
  }));

describe('responses of Tencent Cloud', () => {
  const sent = (Code: string, Message = '') => ({
    Response: { SendStatusSet: [{ SerialNo: '5000:1', Code, Message }], RequestId: 'r' },
  });
  test.each([
    [200, sent('Ok'), { kind: 'sent', providerMessageId: '5000:1' }],
    [200, { Response: { SendStatusSet: [{ Code: 'Ok' }] } }, { kind: 'sent', providerMessageId: '' }],
    [
      200,
      sent('InvalidParameterValue.IncorrectPhoneNumber', 'bad'),
      { kind: 'refused', error: 'InvalidParameterValue.IncorrectPhoneNumber: bad' },
    ],
    [
      200,
      sent('LimitExceeded.DeliveryFrequencyLimit'),
      { kind: 'unavailable', error: 'LimitExceeded.DeliveryFrequencyLimit' },
    ],
    [
      200,
      { Response: { Error: { Code: 'AuthFailure.SignatureFailure', Message: 'no' } } },
      { kind: 'unavailable', error: 'AuthFailure.SignatureFailure: no' },
    ],
    [503, undefined, { kind: 'unavailable', error: 'HTTP 503' }],
    [502, undefined, { kind: 'unknown', error: 'HTTP 502' }],
    [200, {}, { kind: 'unknown', error: 'HTTP 200' }],
  ])('status %i with %j', (status, body, outcome) => {
    expect(judgeTencent({ status, body })).toEqual(outcome);
  });
});

describe('responses of Twilio', () => {
  test.each([
    [201, { sid: 'SM1', status: 'queued' }, { kind: 'sent', providerMessageId: 'SM1' }],
    [201, undefined, { kind: 'unknown', error: 'HTTP 201' }],
    [500, undefined, { kind: 'unknown', error: 'HTTP 500' }],
    [503, undefined, { kind: 'unavailable', error: 'HTTP 503' }],
    [400, { code: 21211, message: 'bad' }, { kind: 'refused', error: '21211: bad' }],
    [401, { code: 20003 }, { kind: 'unavailable', error: '20003' }],
    [429, { code: 20429, message: 'slow' }, { kind: 'unavailable', error: '20429: slow' }],
  ])('status %i with %j', (status, body, outcome) => {
    expect(judgeTwilio({ status, body })).toEqual(outcome);
  });
});

describe('responses of a generic provider', () => {
  const rule = { successPath: 'code', successValue: '0', idPath: 'data.id' };
  const lenient = { successPath: '', successValue: '', idPath: '' };
  test.each([
    [200, { code: 0, data: { id: 7 } }, rule, { kind: 'sent', providerMessageId: '7' }],
    [200, { code: '0' }, rule, { kind: 'sent', providerMessageId: '' }],
    [204, undefined, lenient, { kind: 'sent', providerMessageId: '' }],
    [200, { code: 3 }, rule, { kind: 'unavailable', error: 'code: 3' }],
    [200, {}, rule, { kind: 'unavailable', error: 'code: missing' }],
    [200, undefined, rule, { kind: 'unknown', error: 'HTTP 200' }],
    [400, undefined, rule, { kind: 'refused', error: 'HTTP 400' }],
    [422, undefined, rule, { kind: 'refused', error: 'HTTP 422' }],
    [401, undefined, rule, { kind: 'unavailable', error: 'HTTP 401' }],
    [101, undefined, rule, { kind: 'unavailable', error: 'HTTP 101' }],
    [503, undefined, rule, { kind: 'unavailable', error: 'HTTP 503' }],
    [500, { code: 0 }, rule, { kind: 'unknown', error: 'HTTP 500' }],
  ])('status %i with %j', (status, body, success, outcome) => {
    expect(judgeHttp({ status, body }, success)).toEqual(outcome);
  });
});

test('a path finds texts, numbers and booleans only', () => {
  const body = { a: { b: ['x', true] }, none: null };
  expect(textAt(body, 'a.b.0')).toBe('x');
  expect(textAt(body, 'a.b.1')).toBe('true');
  expect(textAt(body, 'a.b')).toBeNull();
  expect(textAt(body, 'none.c')).toBeNull();
  expect(textAt(body, 'toString')).toBeNull();
});

test('errors of a provider cannot write lines into a log', () => {
  expect(shortened(`a\r\nb${'x'.repeat(500)}`)).toHaveLength(200);
  expect(shortened('a\r\nb')).toBe('a  b');
});

describe('the body of a generic provider', () => {
  test('has the values in its texts and keeps everything else', () => {
    expect(
      fillJson('{"to":"{{number}}","n":1,"list":["{{text}} {{other}}"]}', { number: '+861', text: 'hi' }),
    ).toBe('{"to":"+861","n":1,"list":["hi {{other}}"]}');
  });
  test.each(['', '[]', 'null', '"{{text}}"', '{"a":'])('is not filled if the template is %s', (template) => {
    expect(fillJson(template, {})).toBeNull();
  });
  test('no value breaks out of its text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(JSON.parse(fillJson('{"a":"{{text}}"}', { text }) as string)).toEqual({ a: text });
      }),
    );
  });
});

test.each([
  ['+8613812345678', '13812345678'],
  ['+447400123456', '447400123456'],
  ['+85291234567', '85291234567'],
])('for Dysms, %s is %s', (number, forAliyun) => {
  expect(aliyunNumber(number)).toBe(forAliyun);
});

test.each([
  ['sent', 0, 'sent'],
  ['refused', 0, 'failed'],
  ['unavailable', 0, 'again'],
  ['unavailable', 1, 'again'],
  ['unknown', 0, 'again'],
  ['unknown', 1, 'failed'],
] as const)('after an attempt that is %s, with %i unknown ones before: %s', (kind, before, next) => {
  const outcome = kind === 'sent' ? { kind, providerMessageId: '' } : { kind, error: '' };
  expect(judgeAttempt(outcome, before)).toBe(next);
});
