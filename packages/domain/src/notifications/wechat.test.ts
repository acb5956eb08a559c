import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { elementOf, judgeWechat, readWechatEvent, wechatData, wechatTemplate } from './wechat.ts';

test.each([
  [200, { errcode: 0, errmsg: 'ok', msgid: 7 }, 'done'],
  [200, { access_token: 'x', expires_in: 7200 }, 'done'],
  [200, { errcode: 40001, errmsg: 'invalid credential' }, 'token'],
  [200, { errcode: 42001 }, 'token'],
  [200, { errcode: 43004, errmsg: 'require subscribe' }, 'unsubscribed'],
  [200, { errcode: 40037, errmsg: 'invalid template_id' }, 'refused'],
  [200, { errcode: 45009, errmsg: 'reach max api daily quota limit' }, 'unavailable'],
  [200, { errcode: -1 }, 'unavailable'],
  [502, undefined, 'unavailable'],
  [200, undefined, 'unavailable'],
  [200, ['?'], 'unavailable'],
  [199, {}, 'unavailable'],
])('HTTP %s with %j is %s', (status, body, kind) => {
  expect(judgeWechat({ status, body })).toMatchObject({ kind });
});

describe('the fields of a template', () => {
  it('are filled, and no longer than their type allows', () => {
    const fields = JSON.stringify({ thing1: '{{asset}}', phrase2: '{{what}}', time3: '{{time}} {{other}}' });
    expect(wechatData(fields, { asset: 'x'.repeat(30), what: 'abcdefg', time: '10:00' })).toEqual({
      thing1: { value: 'x'.repeat(20) },
      phrase2: { value: 'abcde' },
      time3: { value: '10:00 {{other}}' },
    });
  });

  it.each(['', '[]', 'null', '7', '{"a": 1}', '{"a b": "c"}'])('are a JSON object of texts: %s', (fields) => {
    expect(wechatData(fields, {})).toBeNull();
  });
});

const xml = (event: string, key = '', user = 'oABC_1234') =>
  `<xml><ToUserName><![CDATA[gh_1]]></ToUserName><FromUserName><![CDATA[${user}]]></FromUserName>` +
  `<CreateTime>1</CreateTime><MsgType><![CDATA[event]]></MsgType><Event><![CDATA[${event}]]></Event>` +
  `<EventKey><![CDATA[${key}]]></EventKey></xml>`;

test.each([
  [xml('subscribe', 'qrscene_abc'), { openId: 'oABC_1234', event: 'subscribe', scene: 'abc' }],
  [xml('SCAN', 'abc'), { openId: 'oABC_1234', event: 'SCAN', scene: 'abc' }],
  [xml('unsubscribe'), { openId: 'oABC_1234', event: 'unsubscribe', scene: '' }],
  [xml('CLICK', 'abc'), null],
  [xml('SCAN', 'abc', '<b>'), null],
  ['<xml><MsgType>text</MsgType></xml>', null],
  ['', null],
])('the event of %s', (text, expected) => {
  expect(readWechatEvent(text)).toEqual(expected);
});

test('a value is plain or CDATA, and any text is read without a fault', () => {
  expect(elementOf('<xml><A>7</A></xml>', 'A')).toBe('7');
  expect(elementOf('<xml><A></A></xml>', 'A')).toBe('');
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(typeof elementOf(text, 'A')).toBe('string');
      expect(readWechatEvent(text)).toBeNull();
    }),
  );
});

test('a language without a template uses another one', () => {
  const templates = { templateZhCn: '', templateZhTw: 'tw', templateEn: 'en', templateEs: '' };
  expect(wechatTemplate(templates, 'en')).toBe('en');
  expect(wechatTemplate(templates, 'es')).toBe('tw');
  expect(wechatTemplate(templates, 'fr')).toBe('tw');
  expect(wechatTemplate({ templateZhCn: '', templateZhTw: '', templateEn: '', templateEs: 'es' }, 'en')).toBe(
    'es',
  );
  expect(wechatTemplate({ ...templates, templateZhTw: '', templateEn: 'e' }, 'es')).toBe('e');
});
