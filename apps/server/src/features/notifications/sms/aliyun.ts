import { createHmac, randomUUID } from 'node:crypto';
import type { SmsProviderInput } from '@isotherm/contracts/sms-providers';
import { aliyunNumber, judgeAliyun, type SmsOutcome } from '@isotherm/domain/notifications/sms-provider';
import type { Language } from '@isotherm/i18n/languages';
import type { Clock } from '../../../platform/clock.ts';
import type { Outgoing } from '../../../platform/outgoing/outgoing.ts';
import { callProvider } from './provider-call.ts';
import type { SmsMessage } from './sms-message.ts';
import { withTemplate } from './with-template.ts';

type TemplateCodes = Pick<SmsProviderInput, 'templateZhCn' | 'templateZhTw' | 'templateEn' | 'templateEs'>;
type Settings = TemplateCodes & Pick<SmsProviderInput, 'url' | 'keyId' | 'signName'>;

const RESERVED = /[!'()*]/g;

/** Percent-encoding as Aliyun signs it (RFC 3986). */
const encoded = (text: string) =>
  encodeURIComponent(text).replace(RESERVED, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

/**
 * Signs the parameters of a call in Aliyun's RPC style (signature version 1.0): HMAC-SHA1 of the method and the sorted
 * parameters. Returns the encoded parameters and the signature.
 */
export function signRpc(
  method: 'GET' | 'POST',
  parameters: Readonly<Record<string, string>>,
  secret: string,
): { query: string; signature: string } {
  const query = Object.entries(parameters)
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort()
    .join('&');
  const signature = createHmac('sha1', `${secret}&`)
    .update(`${method}&${encoded('/')}&${encoded(query)}`)
    .digest('base64');
  return { query, signature };
}

/** Code of the template for a language; that of the first language that has one, if this one has none. */
export function templateOf(settings: TemplateCodes, language: Language): string {
  const codes: Record<Language, string> = {
    'zh-CN': settings.templateZhCn,
    'zh-TW': settings.templateZhTw,
    en: settings.templateEn,
    es: settings.templateEs,
  };
  return codes[language] || Object.values(codes).find((code) => code !== '') || '';
}

/** Calls an action of an API in Aliyun's RPC style, with the signed parameters in the body. */
export function callAliyun(
  outgoing: Pick<Outgoing, 'ask'>,
  clock: Clock,
  settings: Pick<SmsProviderInput, 'url' | 'keyId'>,
  secret: string,
  parameters: Readonly<Record<string, string>>,
  judge: Parameters<typeof callProvider>[2],
): Promise<SmsOutcome> {
  const common = {
    AccessKeyId: settings.keyId,
    Format: 'JSON',
    RegionId: 'cn-hangzhou',
    SignatureMethod: 'HMAC-SHA1',
    SignatureNonce: randomUUID(),
    SignatureVersion: '1.0',
    Timestamp: new Date(clock.now()).toISOString().replace(/\.\d{3}Z$/, 'Z'),
    // SMS and calls have the same version.
    Version: '2017-05-25',
  };
  const { query, signature } = signRpc('POST', { ...common, ...parameters }, secret);
  return callProvider(
    outgoing,
    {
      url: new URL(settings.url),
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `Signature=${encoded(signature)}&${query}`,
    },
    judge,
  );
}

/** Sends by `SendSms` of Aliyun Dysms, version 2017-05-25. The text is that of the provider's template. */
export const sendByAliyun = (
  outgoing: Pick<Outgoing, 'ask'>,
  clock: Clock,
  settings: Settings,
  secret: string,
  message: SmsMessage,
): Promise<SmsOutcome> =>
  withTemplate(
    message.templates?.aliyun,
    { templateId: templateOf(settings, message.language), parameters: message.variables },
    ({ templateId, parameters }) =>
      callAliyun(
        outgoing,
        clock,
        settings,
        secret,
        {
          Action: 'SendSms',
          OutId: message.id,
          PhoneNumbers: aliyunNumber(message.number),
          SignName: settings.signName,
          TemplateCode: templateId,
          TemplateParam: JSON.stringify(parameters),
        },
        (response) => judgeAliyun(response),
      ),
  );
