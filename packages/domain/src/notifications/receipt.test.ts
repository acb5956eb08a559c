import { describe, expect, test } from 'vitest';
import {
  areCallReports,
  chinaTime,
  escalatesNow,
  isNumberOf,
  type ReceiptState,
  readAliyunCallReports,
  readAliyunSmsReports,
  readTwilioStatus,
  resultOf,
  type StepMessage,
} from './receipt.ts';

test.each<[ReceiptState[], ReturnType<typeof resultOf>]>([
  [[], null],
  [['failed'], 'missed'],
  [['not-answered'], 'missed'],
  [['busy', 'answered'], 'reached'],
  [['delivered'], 'reached'],
  [['delivered', 'failed'], 'reached'],
  [['read'], 'reached'],
])('receipts %j mean %s', (states, result) => expect(resultOf(states)).toBe(result));

describe('the next people are notified now', () => {
  const sms = (result: StepMessage['result']): StepMessage => ({ channel: 'sms', result });
  const voice = (result: StepMessage['result']): StepMessage => ({ channel: 'voice', result });
  const email = (result: StepMessage['result']): StepMessage => ({ channel: 'email', result });
  test.each<[string, StepMessage[], boolean]>([
    ['not without messages', [], false],
    ['when the only e-mail has bounced', [email('missed')], true],
    ['not while another e-mail may arrive', [email('missed'), email('open')], false],
    ['when the other e-mail had no address', [email('missed'), email('given-up')], true],
    ['not when no e-mail was sent', [email('given-up')], false],
    ['not when an e-mail has bounced and an SMS may arrive', [email('missed'), sms('open')], false],
    ['when the SMS is not delivered although an e-mail may arrive', [email('open'), sms('missed')], true],
    ['when the only call is not answered', [voice('missed')], true],
    ['not while another call is open', [voice('missed'), voice('open')], false],
    ['not when another call was answered', [voice('missed'), voice('reached')], false],
    ['when the other call was never made', [voice('missed'), voice('given-up')], true],
    ['when the call is not answered although the SMS was delivered', [sms('reached'), voice('missed')], true],
    ['not when the SMS failed and the call was answered', [sms('missed'), voice('reached')], false],
    ['when the only SMS was not delivered', [sms('missed')], true],
    ['not when one of two SMS was delivered', [sms('missed'), sms('reached')], false],
    ['when no provider has made the only call', [voice('given-up')], true],
    ['not because of messages that no provider has accepted', [sms('given-up')], false],
  ])('%s', (_, messages, expected) => expect(escalatesNow(messages)).toBe(expected));
});

test.each([
  ['2017-08-15 19:17:29', Date.UTC(2017, 7, 15, 11, 17, 29)],
  ['2017-13-45 19:17:29', null],
  ['yesterday', null],
  [null, null],
])('the time %s is read as %s', (text, at) => expect(chinaTime(text)).toBe(at));

describe('reports of Dysms', () => {
  const report = {
    phone_number: '13900000001',
    send_time: '2017-08-30 00:00:00',
    report_time: '2017-08-30 08:00:00',
    success: true,
    err_code: 'DELIVERED',
    err_msg: 'ok',
    sms_size: '1',
    biz_id: '12345',
    out_id: '67890',
  };
  const receipt = {
    state: 'delivered',
    messageId: '67890',
    providerMessageId: '12345',
    number: '13900000001',
    code: 'DELIVERED',
    at: Date.UTC(2017, 7, 30),
  };
  test.each([
    ['a delivered message', [report], [receipt]],
    [
      'a message that was not delivered, without details',
      [{ success: 'false', out_id: 7 }],
      [{ state: 'failed', messageId: '7', providerMessageId: '', number: '', code: '', at: null }],
    ],
    ['a message of another program', [{ ...report, out_id: undefined }, report], [receipt]],
    ['an empty list', [], []],
    ['an object', report, null],
    ['a list of texts', ['x'], null],
    ['a report without a result', [{ out_id: '1' }], null],
    ['too many reports', Array.from({ length: 1001 }, () => report), null],
    ['nothing', undefined, null],
  ])('%s', (_, body, expected) => expect(readAliyunSmsReports(body)).toEqual(expected));
});

test.each([
  ['+8613812345678', '13812345678', true],
  ['+8613812345678', '8613812345678', true],
  ['+8613812345678', '+8613812345678', true],
  ['+447700900123', '07700900123', true],
  ['+8613812345678', '', true],
  ['+8613812345678', '13812345679', false],
])('a receipt for the message to %s that names %s: %s', (stored, reported, expected) =>
  expect(isNumberOf(stored, reported)).toBe(expected),
);

describe('status callbacks of Twilio', () => {
  const receipt = { messageId: '17', providerMessageId: 'SM1', number: '+447700900123', at: null };
  const fields = { MessageSid: 'SM1', To: '+447700900123' };
  test.each([
    [
      { ...fields, MessageStatus: 'delivered' },
      { ...receipt, state: 'delivered', code: 'delivered' },
    ],
    [
      { ...fields, MessageStatus: 'undelivered', ErrorCode: '30003' },
      { ...receipt, state: 'failed', code: '30003' },
    ],
    [
      { MessageStatus: 'failed' },
      { ...receipt, providerMessageId: '', number: '', state: 'failed', code: 'failed' },
    ],
    [{ ...fields, MessageStatus: 'sent' }, null],
    [{ ...fields, CallStatus: 'ringing' }, null],
    [
      { ...fields, CallSid: 'CA1', CallStatus: 'no-answer' },
      { ...receipt, providerMessageId: 'CA1', state: 'not-answered', code: 'no-answer' },
    ],
    [
      { ...fields, CallSid: 'CA1', CallStatus: 'completed' },
      { ...receipt, providerMessageId: 'CA1', state: 'answered', code: 'completed' },
    ],
    [
      { ...fields, CallSid: 'CA1', CallStatus: 'completed', AnsweredBy: 'machine_start' },
      { ...receipt, providerMessageId: 'CA1', state: 'not-answered', code: 'machine_start' },
    ],
    [fields, null],
  ])('%j', (given, expected) => expect(readTwilioStatus('17', given)).toEqual(expected));
});

describe('reports of calls by Aliyun', () => {
  const report = {
    call_id: '1^2',
    status_code: '200000',
    callee: '13900000001',
    end_time: '2017-08-30 08:00:00',
    out_id: '17',
  };
  const receipt = {
    state: 'answered',
    messageId: '17',
    providerMessageId: '1^2',
    number: '13900000001',
    code: '200000',
    at: Date.UTC(2017, 7, 30),
  };
  const underWay = { call_id: '1^2', status_code: '300000', status_time: '2017-08-30 08:00:00', out_id: 17 };
  test.each([
    ['a call that was heard', [report], [{ receipt, keys: '' }]],
    ['a pressed key', [{ ...report, dtmf: '1' }], [{ receipt, keys: '1' }]],
    [
      'an unknown result',
      [{ ...report, status_code: '999999' }],
      [{ receipt: { ...receipt, state: 'failed', code: '999999' }, keys: '' }],
    ],
    [
      'a key of a call that is under way',
      [{ ...underWay, dtmf: '1' }],
      [{ receipt: { ...receipt, number: '', code: '300000' }, keys: '1' }],
    ],
    ['a call that is under way', [underWay], []],
    ['a call of another program', [{ ...report, out_id: undefined }], []],
    ['a report without result', [{ call_id: '1' }], null],
    ['a report without call', [{ status_code: '200000' }], null],
    ['no list', {}, null],
    ['too long a list', Array.from({ length: 1001 }, () => report), null],
  ])('%s', (_, body, expected) => expect(readAliyunCallReports(body)).toEqual(expected));

  test.each([
    [[{ call_id: '1' }], true],
    [[{ biz_id: '1' }], false],
    [[], false],
    [null, false],
  ])('%j is about calls: %s', (body, expected) => expect(areCallReports(body)).toBe(expected));
});
