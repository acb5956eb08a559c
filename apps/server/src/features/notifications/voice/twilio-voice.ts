import type { SmsProviderInput } from '@isotherm/contracts/sms-providers';
import type { SmsOutcome } from '@isotherm/domain/notifications/sms-provider';
import { callTwiml } from '@isotherm/domain/notifications/voice-provider';
import type { Outgoing } from '../../../platform/outgoing/outgoing.ts';
import type { SmsMessage } from '../sms/sms-message.ts';
import { keypadCallback, postToTwilio, statusCallback } from '../sms/twilio.ts';

/** Seconds that a phone rings. */
const RINGS_S = '30';

/**
 * Calls by the Calls resource of Twilio. Voice mailboxes are detected, because a call that only they have heard must not
 * count as answered.
 *
 * @param origin address of this server for the callbacks; null if it is not known, then no key is asked for
 */
export function callByTwilio(
  outgoing: Pick<Outgoing, 'ask'>,
  settings: Pick<SmsProviderInput, 'url' | 'keyId' | 'sender'> & { id: number },
  token: string,
  message: SmsMessage,
  origin: string | null,
): Promise<SmsOutcome> {
  const { text, prompt, language, number } = message;
  const action = origin && keypadCallback(origin, settings.id, message.id);
  const fields = new URLSearchParams({
    To: number,
    From: settings.sender,
    Twiml: callTwiml({ text, prompt, language, action }),
    Timeout: RINGS_S,
    MachineDetection: 'Enable',
  });
  if (origin) {
    fields.set('StatusCallback', statusCallback(origin, settings.id, message.id));
    fields.set('StatusCallbackEvent', 'completed');
  }
  return postToTwilio(outgoing, settings, token, 'Calls', fields);
}
