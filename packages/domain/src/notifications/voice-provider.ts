import { SMS_PROVIDER_KINDS } from './sms-provider.ts';

/** Kinds of providers of voice calls: Aliyun VMS and Twilio. */
export const VOICE_PROVIDER_KINDS = ['aliyun-voice', 'twilio-voice'] as const;

/** Kinds of all providers that are configured in the console. */
export const PROVIDER_KINDS = [...SMS_PROVIDER_KINDS, ...VOICE_PROVIDER_KINDS] as const;
export type ProviderKind = (typeof PROVIDER_KINDS)[number];

/** Notification channels that are paid for by units and delivered by providers. */
export type PaidChannel = 'sms' | 'voice';

/** The notification channel that providers of a kind deliver. */
export const channelOfProvider = (kind: ProviderKind): PaidChannel =>
  VOICE_PROVIDER_KINDS.some((voice) => voice === kind) ? 'voice' : 'sms';

/** The key that acknowledges the alarm of a call. */
export const ACKNOWLEDGE_KEY = '1';

/** Languages as text-to-speech of Twilio names them. */
const SPOKEN = { en: 'en-US', es: 'es-MX', 'zh-CN': 'zh-CN', 'zh-TW': 'zh-TW' } as const;
type SpokenLanguage = keyof typeof SPOKEN;

/** Seconds that a call waits for a key after the text. */
const WAITS_S = 10;

const escaped = (text: string): string =>
  text.replace(/\p{Cc}/gu, ' ').replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);

/** TwiML that says a text and hangs up. */
export const sayingTwiml = (text: string, language: SpokenLanguage): string =>
  `<?xml version="1.0" encoding="UTF-8"?><Response><Say language="${SPOKEN[language]}">${escaped(text)}</Say></Response>`;

/**
 * TwiML that says a text twice. With a prompt and an address it waits for one key, which is reported to that address.
 */
export function callTwiml(call: {
  text: string;
  /** What the key does; empty if there is none. */
  prompt: string;
  language: SpokenLanguage;
  /** Address that the key is reported to; null if it cannot be. */
  action: string | null;
}): string {
  const { text, prompt, language, action } = call;
  const isAsked = prompt !== '' && action !== null;
  const say = (said: string) => `<Say language="${SPOKEN[language]}">${escaped(said)}</Say>`;
  const once = isAsked ? say(`${text} ${prompt}`) : say(text);
  const twice = `${once}<Pause length="1"/>${once}`;
  const body = isAsked
    ? `<Gather numDigits="1" timeout="${WAITS_S}" method="POST" action="${escaped(action)}">${twice}</Gather>`
    : twice;
  return `<?xml version="1.0" encoding="UTF-8"?><Response>${body}</Response>`;
}
