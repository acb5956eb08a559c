import { shortened, textAt } from './sms-provider.ts';
import type { PaidChannel } from './voice-provider.ts';

/** What a provider reports about a message after it has accepted it (requirements §4: call results). */
export const RECEIPT_STATES = ['delivered', 'read', 'answered', 'not-answered', 'busy', 'failed'] as const;
export type ReceiptState = (typeof RECEIPT_STATES)[number];

/** A receipt of a provider, before it is assigned to a message. */
export interface Receipt {
  state: ReceiptState;
  /** Our id of the message, as it was given to the provider. */
  messageId: string;
  /** The provider's id of the message. */
  providerMessageId: string;
  /** The number that it was sent to, as the provider writes it; empty if it is not reported. */
  number: string;
  /** The provider's own word for the state. */
  code: string;
  /** Time at which the state was reached, epoch ms; null if it is not reported. */
  at: number | null;
}

const REACHED: ReadonlySet<ReceiptState> = new Set(['delivered', 'read', 'answered']);

/**
 * The result of all receipts of a message. One that it has reached its recipient is final, because receipts may arrive
 * in any order; null if there are none.
 */
export function resultOf(states: readonly ReceiptState[]): 'reached' | 'missed' | null {
  if (states.some((state) => REACHED.has(state))) return 'reached';
  return states.length > 0 ? 'missed' : null;
}

/** A message to one of the recipients of a step, with what its receipts say. */
export interface StepMessage {
  channel: PaidChannel | 'email';
  /** `open`: it may still reach its recipient; `given-up`: it was never accepted by a provider. */
  result: 'reached' | 'missed' | 'open' | 'given-up';
}

/**
 * Decides whether the next people are notified now instead of at the planned time, because none of these can be reached.
 * Calls decide if there are any: somebody who got an SMS may still sleep, but somebody who answered knows. A call that no
 * provider has made counts as not answered. E-mails decide only in a step that sends nothing else; they have failed when they
 * have bounced.
 */
export function escalatesNow(messages: readonly StepMessage[]): boolean {
  const calls = messages.filter(({ channel }) => channel === 'voice');
  const texts = messages.filter(({ channel }) => channel === 'sms');
  const deciding = calls.length > 0 ? calls : texts.length > 0 ? texts : messages;
  return (
    deciding.some(
      ({ channel, result }) => result === 'missed' || (channel === 'voice' && result === 'given-up'),
    ) && deciding.every(({ result }) => result === 'missed' || result === 'given-up')
  );
}

/** Largest number of receipts in one request. */
const MOST = 1000;
const CHINA_OFFSET = '+08:00';

/** Time such as `2017-08-15 19:17:29` in China, epoch ms; null if it is not a time. */
export function chinaTime(text: string | null): number | null {
  if (text === null || !/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text)) return null;
  const at = Date.parse(`${text.replace(' ', 'T')}${CHINA_OFFSET}`);
  return Number.isNaN(at) ? null : at;
}

/** Reads the reports of Dysms (SmsReport) from a JSON body; null if it is not a list of reports. */
export function readAliyunSmsReports(body: unknown): Receipt[] | null {
  if (!Array.isArray(body) || body.length > MOST) return null;
  const receipts: Receipt[] = [];
  for (const report of body) {
    const messageId = textAt(report, 'out_id');
    const success = textAt(report, 'success');
    if (success !== 'true' && success !== 'false') return null;
    // Reports of messages that other programs have sent with the same account have no id of ours.
    if (messageId === null) continue;
    receipts.push({
      state: success === 'true' ? 'delivered' : 'failed',
      messageId,
      providerMessageId: textAt(report, 'biz_id') ?? '',
      number: textAt(report, 'phone_number') ?? '',
      code: shortened(textAt(report, 'err_code') ?? ''),
      at: chinaTime(textAt(report, 'report_time')),
    });
  }
  return receipts;
}

/** Results of calls as Aliyun reports them; others are failures. */
const ALIYUN_CALL_STATES: Readonly<Record<string, ReceiptState>> = {
  // Heard to the end, hung up before it, no key pressed in time, and ended.
  '200000': 'answered',
  '200001': 'answered',
  '200008': 'answered',
  '200100': 'answered',
  '200002': 'busy',
  '200112': 'busy',
  // Not picked up, rejected, out of reach, and switched off.
  '200003': 'not-answered',
  '200005': 'not-answered',
  '200007': 'not-answered',
  '200010': 'not-answered',
  '200111': 'not-answered',
  '200113': 'not-answered',
  '200120': 'not-answered',
};

/** What a report says about a call: its result, and the keys that were pressed; empty if there were none. */
export interface CallReport {
  receipt: Receipt;
  keys: string;
}

/** True if the body of a request lists calls instead of SMS. */
export const areCallReports = (body: unknown): boolean =>
  Array.isArray(body) && body.length > 0 && textAt(body[0], 'call_id') !== null;

/**
 * Reads the reports of calls that have ended (VoiceReport) from a JSON body; null if it is not a list of reports. Reports
 * about calls that are under way (VoiceCallReport) have a `status_time`; of these only pressed keys count.
 */
export function readAliyunCallReports(body: unknown): CallReport[] | null {
  if (!Array.isArray(body) || body.length > MOST) return null;
  const reports: CallReport[] = [];
  for (const report of body) {
    const providerMessageId = textAt(report, 'call_id');
    const code = textAt(report, 'status_code');
    if (providerMessageId === null || code === null) return null;
    const messageId = textAt(report, 'out_id');
    const keys = textAt(report, 'dtmf') ?? '';
    const isUnderWay = textAt(report, 'status_time') !== null;
    if (messageId === null || (isUnderWay && keys === '')) continue;
    reports.push({
      receipt: {
        state: isUnderWay ? 'answered' : (ALIYUN_CALL_STATES[code] ?? 'failed'),
        messageId,
        providerMessageId,
        number: textAt(report, 'callee') ?? '',
        code: shortened(code),
        at: chinaTime(textAt(report, isUnderWay ? 'status_time' : 'end_time')),
      },
      keys,
    });
  }
  return reports;
}

const TWILIO_STATES: Readonly<Record<string, ReceiptState>> = {
  delivered: 'delivered',
  read: 'read',
  undelivered: 'failed',
  failed: 'failed',
};

/** States of calls; those before the end of a call say nothing final. */
const TWILIO_CALL_STATES: Readonly<Record<string, ReceiptState>> = {
  completed: 'answered',
  busy: 'busy',
  'no-answer': 'not-answered',
  failed: 'failed',
  canceled: 'failed',
};

/**
 * Reads a status callback of Twilio; null if it says nothing final. Our id is in the address that the callback was sent to.
 */
export function readTwilioStatus(
  messageId: string,
  fields: Readonly<Record<string, string>>,
): Receipt | null {
  const { MessageStatus, CallStatus, AnsweredBy = '' } = fields;
  const status = CallStatus ?? MessageStatus ?? '';
  const reported = CallStatus === undefined ? TWILIO_STATES[status] : TWILIO_CALL_STATES[status];
  if (!reported) return null;
  // A voice mailbox has answered, but nobody has heard the call.
  const isMailbox = reported === 'answered' && /^(machine|fax)/.test(AnsweredBy);
  return {
    state: isMailbox ? 'not-answered' : reported,
    messageId,
    providerMessageId: fields.CallSid ?? fields.MessageSid ?? '',
    number: fields.To ?? '',
    code: shortened(fields.ErrorCode || (isMailbox ? AnsweredBy : status)),
    at: null,
  };
}

/** True if a receipt names the number of the message, or none. The provider may leave out the country code. */
export function isNumberOf(stored: string, reported: string): boolean {
  const digits = reported.replace(/\D/g, '').replace(/^0+/, '');
  return digits === '' || stored.replace(/\D/g, '').endsWith(digits);
}
