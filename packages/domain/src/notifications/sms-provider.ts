/**
 * Kinds of SMS providers: Aliyun Dysms, Tencent Cloud, Twilio, and any provider that takes a JSON body over HTTP or speaks
 * SMPP 3.4.
 */
export const SMS_PROVIDER_KINDS = ['aliyun', 'tencent', 'twilio', 'http', 'smpp'] as const;
export type SmsProviderKind = (typeof SMS_PROVIDER_KINDS)[number];

/**
 * Result of one attempt to hand an SMS to a provider:
 * `sent` it was accepted; `refused` it will never be accepted, whoever sends it; `unavailable` it was not accepted,
 * and another provider or a later attempt may succeed; `unknown` it may or may not have been accepted.
 */
export type SmsOutcome =
  | { kind: 'sent'; providerMessageId: string }
  | { kind: 'refused' | 'unavailable' | 'unknown'; error: string };

/** The response of a provider: status, and the body as JSON; undefined if it is not JSON. */
export interface ProviderResponse {
  status: number;
  body: unknown;
}

/** Longest error that is stored. */
const MAX_ERROR = 200;

/** Error codes of Dysms and of voice calls that are about the message itself, so that no further attempt helps. */
const REFUSED_BY_ALIYUN = new Set([
  'isv.BLACK_KEY_CONTROL_LIMIT',
  'isv.INVALID_JSON_PARAM',
  'isv.INVALID_PARAMETERS',
  'isv.MOBILE_COUNT_OVER_LIMIT',
  'isv.MOBILE_NUMBER_ILLEGAL',
  'isv.PARAM_LENGTH_LIMIT',
  'isv.PARAM_NOT_SUPPORT_URL',
  'isv.TEMPLATE_MISSING_PARAMETERS',
  'isv.TEMPLATE_PARAMS_ILLEGAL',
]);

/** Statuses after which it is not known whether the request was carried out. */
const isUndecided = (status: number) => status >= 500 && status !== 503;

/**
 * Evaluates a response of `SendSms` or `SingleCallByTts`. Every error code means that the message was not accepted.
 *
 * @param idField field of the provider's id of the message or call
 */
export function judgeAliyun(
  { status, body }: ProviderResponse,
  idField: 'BizId' | 'CallId' = 'BizId',
): SmsOutcome {
  const code = textAt(body, 'Code');
  if (code === null) return isUndecided(status) || status < 300 ? unknown(status) : unavailable(status);
  if (code === 'OK') return { kind: 'sent', providerMessageId: textAt(body, idField) ?? '' };
  const error = shortened([code, textAt(body, 'Message')].filter(Boolean).join(': '));
  return { kind: REFUSED_BY_ALIYUN.has(code) ? 'refused' : 'unavailable', error };
}

/** Codes of Tencent Cloud that are about the message itself. */
const REFUSED_BY_TENCENT =
  /^(InvalidParameterValue\.|FailedOperation\.(PhoneNumberInBlacklist|ContainSensitiveWord))/;

/** Evaluates a response of Tencent Cloud's `SendSms` for one number. */
export function judgeTencent({ status, body }: ProviderResponse): SmsOutcome {
  const failed = textAt(body, 'Response.Error.Code');
  const code = failed ?? textAt(body, 'Response.SendStatusSet.0.Code');
  if (code === null) return isUndecided(status) || status < 300 ? unknown(status) : unavailable(status);
  if (code === 'Ok')
    return { kind: 'sent', providerMessageId: textAt(body, 'Response.SendStatusSet.0.SerialNo') ?? '' };
  const message = textAt(body, failed ? 'Response.Error.Message' : 'Response.SendStatusSet.0.Message');
  const error = shortened([code, message].filter(Boolean).join(': '));
  return { kind: REFUSED_BY_TENCENT.test(code) ? 'refused' : 'unavailable', error };
}

/** Error codes of Twilio that are about the number or the text. */
const REFUSED_BY_TWILIO = new Set([
  '13224',
  '21211',
  '21214',
  '21216',
  '21217',
  '21602',
  '21610',
  '21614',
  '21617',
]);

/** Evaluates a response of Twilio's Messages or Calls resource. */
export function judgeTwilio({ status, body }: ProviderResponse): SmsOutcome {
  if (isUndecided(status)) return unknown(status);
  if (status >= 200 && status <= 299) {
    const sid = textAt(body, 'sid');
    return sid === null ? unknown(status) : { kind: 'sent', providerMessageId: sid };
  }
  const code = textAt(body, 'code');
  if (code === null) return unavailable(status);
  const error = shortened([code, textAt(body, 'message')].filter(Boolean).join(': '));
  return { kind: REFUSED_BY_TWILIO.has(code) ? 'refused' : 'unavailable', error };
}

/** How a response of a generic provider says that a message was accepted. */
export interface HttpSuccess {
  /** Path of a field, such as `result.code`. If it is empty, every status 2xx is a success. */
  successPath: string;
  /** Value of that field, as text. */
  successValue: string;
  /** Path of the provider's message id; empty if there is none. */
  idPath: string;
}

/** Evaluates a response of a generic HTTP provider. */
export function judgeHttp(
  { status, body }: ProviderResponse,
  { successPath, successValue, idPath }: HttpSuccess,
): SmsOutcome {
  if (isUndecided(status)) return unknown(status);
  if (status === 400 || status === 422) return { kind: 'refused', error: `HTTP ${status}` };
  if (status < 200 || status > 299) return unavailable(status);
  if (successPath !== '') {
    if (body === undefined) return unknown(status);
    const found = textAt(body, successPath);
    if (found !== successValue)
      return { kind: 'unavailable', error: shortened(`${successPath}: ${found ?? 'missing'}`) };
  }
  return { kind: 'sent', providerMessageId: (idPath && textAt(body, idPath)) || '' };
}

const unknown = (status: number): SmsOutcome => ({ kind: 'unknown', error: `HTTP ${status}` });
const unavailable = (status: number): SmsOutcome => ({ kind: 'unavailable', error: `HTTP ${status}` });

/** Removes control characters, so that a provider cannot write lines into a log, and limits the length. */
export const shortened = (text: string): string => text.replace(/\p{Cc}/gu, ' ').slice(0, MAX_ERROR);

/** Returns a text, number or boolean at a path such as `data.0.id` as text; null if there is none. */
export function textAt(body: unknown, path: string): string | null {
  let value = body;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return null;
    value = (value as Record<string, unknown>)[key];
  }
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value).slice(0, MAX_ERROR) : null;
}

/**
 * Fills `{{name}}` in every text of a JSON template. The template is parsed first, so that a value cannot break out
 * of its text. Returns null if the template is not a JSON object.
 */
export function fillJson(template: string, values: Readonly<Record<string, string>>): string | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(template);
  } catch {
    return null;
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return null;
  return JSON.stringify(parsed, (_key, value: unknown) =>
    typeof value === 'string'
      ? value.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => values[name] ?? whole)
      : value,
  );
}

/** Number as Dysms expects it: within mainland China without country code, otherwise without a plus sign. */
export const aliyunNumber = (number: string): string => number.replace(/^\+(86)?/, '');

/**
 * What follows from an attempt: `again` at a later time, or the final state. An attempt with an unknown outcome is
 * repeated once, because the message may have been sent.
 */
export function judgeAttempt(outcome: SmsOutcome, unknownBefore: number): 'sent' | 'failed' | 'again' {
  if (outcome.kind === 'sent') return 'sent';
  if (outcome.kind === 'refused') return 'failed';
  return outcome.kind === 'unknown' && unknownBefore > 0 ? 'failed' : 'again';
}
