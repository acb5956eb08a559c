import type { FilledTemplate, TemplateProvider } from '@isotherm/domain/notifications/message-template';
import type { SmsOutcome } from '@isotherm/domain/notifications/sms-provider';
import type { Language } from '@isotherm/i18n/languages';

/** An SMS or a call as it is handed to a provider. */
export interface SmsMessage {
  /** Our id of the message; the same for a repeated attempt. */
  id: string;
  /** Number in international form, such as `+8613812345678`. */
  number: string;
  text: string;
  /** What a key does during a call; empty if there is none, and for SMS. */
  prompt: string;
  language: Language;
  /** Variables for providers that have the text themselves, as an approved template. */
  variables: Readonly<Record<string, string>>;
  /** Templates that an organisation has instead of those of the providers. */
  templates?: Partial<Record<TemplateProvider, FilledTemplate>>;
}

/** A provider with its credentials. */
export interface SmsProvider {
  id: number;
  name: string;
  /** Makes one attempt; never throws. */
  send(message: SmsMessage): Promise<SmsOutcome>;
}
