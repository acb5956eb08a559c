import { createHmac } from 'node:crypto';
import type { SmsProviderInput } from '@isotherm/contracts/sms-providers';
import { judgeTwilio, type SmsOutcome } from '@isotherm/domain/notifications/sms-provider';
import type { Outgoing } from '../../../platform/outgoing/outgoing.ts';
import { callProvider } from './provider-call.ts';
import type { SmsMessage } from './sms-message.ts';

type Settings = Pick<SmsProviderInput, 'url' | 'keyId' | 'sender'>;

/** Path of status callbacks of Twilio. */
export const TWILIO_PATH = '/notification/receipt/twilio';

/** Address that Twilio reports the state of a message to; our id of the message is part of it, and thus signed. */
export const statusCallback = (origin: string, providerId: number, messageId: string): string =>
  `${origin}${TWILIO_PATH}/${providerId}?id=${encodeURIComponent(messageId)}`;

/** Path of the keys that are pressed during calls. */
export const TWILIO_KEYPAD_PATH = '/notification/keypad/twilio';

/** Address that Twilio reports the key of a call to. */
export const keypadCallback = (origin: string, providerId: number, messageId: string): string =>
  `${origin}${TWILIO_KEYPAD_PATH}/${providerId}?id=${encodeURIComponent(messageId)}`;

/** Signature of a callback: HMAC-SHA1 of its address and the sorted fields, each as its name and value. */
export const twilioSignature = (
  url: string,
  fields: Readonly<Record<string, string>>,
  token: string,
): string =>
  createHmac('sha1', token)
    .update(
      Object.keys(fields)
        .sort()
        .reduce((text, name) => text + name + fields[name], url),
    )
    .digest('base64');

/** Posts the fields of a message or a call to a resource of Twilio, version 2010-04-01. */
export const postToTwilio = (
  outgoing: Pick<Outgoing, 'ask'>,
  { url, keyId: account }: Pick<SmsProviderInput, 'url' | 'keyId'>,
  token: string,
  resource: 'Messages' | 'Calls',
  fields: URLSearchParams,
): Promise<SmsOutcome> =>
  callProvider(
    outgoing,
    {
      url: new URL(`/2010-04-01/Accounts/${encodeURIComponent(account)}/${resource}.json`, url),
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${account}:${token}`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: fields.toString(),
    },
    judgeTwilio,
  );

/** Sends by the Messages resource. `callback` is null if this server has no public address. */
export function sendByTwilio(
  outgoing: Pick<Outgoing, 'ask'>,
  settings: Settings,
  token: string,
  message: SmsMessage,
  callback: string | null,
): Promise<SmsOutcome> {
  const { sender } = settings;
  const fields = new URLSearchParams({ To: message.number, Body: message.text });
  fields.set(sender.startsWith('MG') ? 'MessagingServiceSid' : 'From', sender);
  if (callback) fields.set('StatusCallback', callback);
  return postToTwilio(outgoing, settings, token, 'Messages', fields);
}
