import { createHash, createHmac } from 'node:crypto';
import type { SmsProviderInput } from '@isotherm/contracts/sms-providers';
import type { FilledTemplate } from '@isotherm/domain/notifications/message-template';
import { judgeTencent, type SmsOutcome } from '@isotherm/domain/notifications/sms-provider';
import type { Clock } from '../../../platform/clock.ts';
import type { Outgoing } from '../../../platform/outgoing/outgoing.ts';
import { templateOf } from './aliyun.ts';
import { callProvider } from './provider-call.ts';
import type { SmsMessage } from './sms-message.ts';
import { withTemplate } from './with-template.ts';

type Settings = Pick<
  SmsProviderInput,
  | 'url'
  | 'keyId'
  | 'appId'
  | 'region'
  | 'signName'
  | 'templateZhCn'
  | 'templateZhTw'
  | 'templateEn'
  | 'templateEs'
>;

const SERVICE = 'sms';
const SIGNED_HEADERS = 'content-type;host;x-tc-action';
const CONTENT_TYPE = 'application/json; charset=utf-8';
/** Order of the variables in templates of Tencent Cloud, which are numbered from 1. */
const TEMPLATE_ORDER = ['what', 'level', 'asset', 'fault', 'value', 'time'] as const;

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();

/** Signs a call of Tencent Cloud (TC3-HMAC-SHA256); returns the value of the header `authorization`. */
export function signTc3(
  call: { host: string; action: string; body: string; at: number },
  keyId: string,
  secret: string,
): string {
  const { host, action, body, at } = call;
  const seconds = Math.floor(at / 1000);
  const day = new Date(seconds * 1000).toISOString().slice(0, 10);
  const scope = `${day}/${SERVICE}/tc3_request`;
  const canonical = [
    'POST',
    '/',
    '',
    `content-type:${CONTENT_TYPE}`,
    `host:${host}`,
    `x-tc-action:${action.toLowerCase()}`,
    '',
    SIGNED_HEADERS,
    sha256(body),
  ].join('\n');
  const text = ['TC3-HMAC-SHA256', seconds, scope, sha256(canonical)].join('\n');
  const key = hmac(hmac(hmac(`TC3${secret}`, day), SERVICE), 'tc3_request');
  const signature = hmac(key, text).toString('hex');
  return `TC3-HMAC-SHA256 Credential=${keyId}/${scope}, SignedHeaders=${SIGNED_HEADERS}, Signature=${signature}`;
}

/** Sends by `SendSms` of Tencent Cloud, version 2021-01-11. The text is that of the provider's template. */
export const sendByTencent = (
  outgoing: Pick<Outgoing, 'ask'>,
  clock: Clock,
  settings: Settings,
  secret: string,
  message: SmsMessage,
): Promise<SmsOutcome> =>
  withTemplate(
    message.templates?.tencent,
    {
      templateId: templateOf(settings, message.language),
      parameters: Object.fromEntries(
        TEMPLATE_ORDER.map((name, at) => [at + 1, message.variables[name] ?? '-']),
      ),
    },
    (template) => sendTemplate(outgoing, clock, settings, secret, message, template),
  );

function sendTemplate(
  outgoing: Pick<Outgoing, 'ask'>,
  clock: Clock,
  settings: Settings,
  secret: string,
  message: SmsMessage,
  { templateId, parameters }: FilledTemplate,
): Promise<SmsOutcome> {
  const url = new URL(settings.url);
  const at = clock.now();
  const body = JSON.stringify({
    PhoneNumberSet: [message.number],
    SmsSdkAppId: settings.appId,
    SignName: settings.signName,
    TemplateId: templateId,
    TemplateParamSet: Object.keys(parameters).map((_, at) => parameters[at + 1] ?? '-'),
    SessionContext: message.id,
  });
  return callProvider(
    outgoing,
    {
      url,
      method: 'POST',
      headers: {
        authorization: signTc3({ host: url.host, action: 'SendSms', body, at }, settings.keyId, secret),
        'content-type': CONTENT_TYPE,
        'x-tc-action': 'SendSms',
        'x-tc-region': settings.region || 'ap-guangzhou',
        'x-tc-timestamp': String(Math.floor(at / 1000)),
        'x-tc-version': '2021-01-11',
      },
      body,
    },
    judgeTencent,
  );
}
