import type { SmsProviderInput } from '@isotherm/contracts/sms-providers';
import { fillJson, judgeHttp, type SmsOutcome } from '@isotherm/domain/notifications/sms-provider';
import type { Outgoing } from '../../../platform/outgoing/outgoing.ts';
import { callProvider } from './provider-call.ts';
import type { SmsMessage } from './sms-message.ts';

/**
 * Sends by a POST of JSON. The `idempotency-key` is the same for a repeated attempt, so that a provider that knows it
 * sends once.
 */
export async function sendByHttp(
  outgoing: Pick<Outgoing, 'ask'>,
  settings: Pick<SmsProviderInput, 'url' | 'body' | 'successPath' | 'successValue' | 'idPath'>,
  secret: string,
  { id, number, text, language }: SmsMessage,
): Promise<SmsOutcome> {
  const body = fillJson(settings.body, { id, number, text, language });
  if (body === null) return { kind: 'unavailable', error: 'body is not a JSON object' };
  return callProvider(
    outgoing,
    {
      url: new URL(settings.url),
      method: 'POST',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'idempotency-key': id,
        ...(secret === '' ? {} : { authorization: `Bearer ${secret}` }),
      },
      body,
    },
    (response) => judgeHttp(response, settings),
  );
}
