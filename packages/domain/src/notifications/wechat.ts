import { type ProviderResponse, shortened, textAt } from './sms-provider.ts';

/** Largest number of recipients of a step that is sent by WeChat (requirements §5). */
export const MAX_WECHAT_RECIPIENTS = 10;
/** Time for which the QR code that binds a person is valid, ms. */
export const WECHAT_CODE_LIFE_MS = 10 * 60_000;
/** A token is renewed this long before it expires, ms. */
export const WECHAT_TOKEN_MARGIN_MS = 5 * 60_000;
/** A callback may be this old or this far ahead, ms; WeChat repeats a callback within seconds. */
export const WECHAT_CALLBACK_AGE_MS = 10 * 60_000;

/**
 * Result of a call of the official account's API: `token` the access token is not valid any more, `unsubscribed` the
 * person does not follow the account, `refused` the message will never be accepted, `unavailable` a later attempt may
 * succeed.
 */
export type WechatResult =
  | { kind: 'done'; body: unknown }
  | { kind: 'token' | 'unsubscribed' | 'refused' | 'unavailable'; error: string };

/** The access token is wrong or has expired. */
const TOKEN_CODES = new Set(['40001', '40014', '42001', '42007']);
/** The person has never followed the official account, or no longer does. */
const UNSUBSCRIBED_CODES = new Set(['40003', '43004', '43019', '43101']);
/** The template or its fields are wrong, or the account may not send it. */
const REFUSED_CODES = new Set(['40036', '40037', '41028', '43107', '45168', '47001', '47003', '48001']);

/** Evaluates a response of the API of an official account. */
export function judgeWechat({ status, body }: ProviderResponse): WechatResult {
  if (status < 200 || status > 299) return { kind: 'unavailable', error: `HTTP ${status}` };
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return { kind: 'unavailable', error: 'no JSON' };
  const code = textAt(body, 'errcode') ?? '0';
  if (code === '0') return { kind: 'done', body };
  const error = shortened([code, textAt(body, 'errmsg')].filter(Boolean).join(': '));
  if (TOKEN_CODES.has(code)) return { kind: 'token', error };
  if (UNSUBSCRIBED_CODES.has(code)) return { kind: 'unsubscribed', error };
  return { kind: REFUSED_CODES.has(code) ? 'refused' : 'unavailable', error };
}

/** Most characters of a field by the type in its name; WeChat refuses a message with a longer one. */
const FIELD_LENGTHS: readonly (readonly [RegExp, number])[] = [
  [/^thing\d+$/, 20],
  [/^(character_string|letter|number)\d+$/, 32],
  [/^phrase\d+$/, 5],
  [/^const\d+$/, 20],
];
const MAX_FIELD = 200;

/**
 * Fills the fields of a template: `{"thing1": "{{asset}}"}` becomes `{"thing1": {"value": "Cold store A"}}`. Null if the
 * fields are not a JSON object of texts.
 */
export function wechatData(
  fields: string,
  variables: Readonly<Record<string, string>>,
): Record<string, { value: string }> | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(fields);
  } catch {
    return null;
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return null;
  const filled: Record<string, { value: string }> = {};
  for (const [name, value] of Object.entries(parsed)) {
    if (typeof value !== 'string' || !/^\w{1,40}$/.test(name)) return null;
    const most = FIELD_LENGTHS.find(([type]) => type.test(name))?.[1] ?? MAX_FIELD;
    const whole = value.replace(/\{\{(\w+)\}\}/g, (same, key: string) => variables[key] ?? same);
    filled[name] = { value: [...whole].slice(0, most).join('') };
  }
  return filled;
}

/** An event that WeChat reports about a person. */
export interface WechatEvent {
  /** Identifies the person for this official account. */
  openId: string;
  event: 'subscribe' | 'unsubscribe' | 'SCAN';
  /** The text of the scanned QR code; empty if none was scanned. */
  scene: string;
}

const EVENTS = ['subscribe', 'unsubscribe', 'SCAN'] as const;
const SCENE_PREFIX = 'qrscene_';

/** Reads an event from its XML; null for other messages. Values are only looked for in the flat format of WeChat. */
export function readWechatEvent(xml: string): WechatEvent | null {
  if (elementOf(xml, 'MsgType') !== 'event') return null;
  const event = EVENTS.find((each) => each === elementOf(xml, 'Event'));
  const openId = elementOf(xml, 'FromUserName');
  if (!event || !/^[\w-]{6,64}$/.test(openId)) return null;
  const key = elementOf(xml, 'EventKey');
  return { openId, event, scene: key.startsWith(SCENE_PREFIX) ? key.slice(SCENE_PREFIX.length) : key };
}

/** The text of an element, plain or as CDATA; empty if there is none. `name` is a constant. */
export function elementOf(xml: string, name: string): string {
  const found = new RegExp(`<${name}>(?:<!\\[CDATA\\[([^\\]]*)\\]\\]>|([^<]*))</${name}>`).exec(xml);
  return found ? String(found[1] ?? found[2]).trim() : '';
}

/** Templates by language; a language without one uses the first other one. */
export interface WechatTemplates {
  templateZhCn: string;
  templateZhTw: string;
  templateEn: string;
  templateEs: string;
}

/** Returns the template for a language; empty if there is none at all. */
export function wechatTemplate(templates: WechatTemplates, language: string): string {
  const { templateZhCn, templateZhTw, templateEn, templateEs } = templates;
  const own =
    { 'zh-CN': templateZhCn, 'zh-TW': templateZhTw, en: templateEn, es: templateEs }[language] ?? '';
  return own || templateZhCn || templateZhTw || templateEn || templateEs;
}
