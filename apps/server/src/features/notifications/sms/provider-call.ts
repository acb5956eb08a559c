import {
  type ProviderResponse,
  type SmsOutcome,
  shortened,
} from '@isotherm/domain/notifications/sms-provider';
import { jsonOf } from '../../../platform/json.ts';
import {
  type Outgoing,
  OutgoingError,
  type OutgoingRequest,
  readWhole,
} from '../../../platform/outgoing/outgoing.ts';

const LIMITS = { maxBytes: 64 * 1024, withinMs: 5_000 };
/**
 * Sends a request to a provider and has the response judged. The outcome is unknown if the request may have been
 * carried out without a response that says so.
 */
export async function callProvider(
  outgoing: Pick<Outgoing, 'ask'>,
  request: OutgoingRequest,
  judge: (response: ProviderResponse) => SmsOutcome,
): Promise<SmsOutcome> {
  try {
    const answer = await outgoing.ask(request);
    return judge({ status: answer.status, body: jsonOf(await readWhole(answer, LIMITS)) });
  } catch (error) {
    return { kind: wasSent(error) ? 'unknown' : 'unavailable', error: reasonOf(error) };
  }
}

/** True unless it is certain that the request did not reach the provider. A redirect is not followed and counts as refused. */
function wasSent(error: unknown): boolean {
  if (!(error instanceof OutgoingError)) return true;
  return !error.isBeforeConnection && error.fault !== 'elsewhere';
}

const reasonOf = (error: unknown) => shortened(error instanceof Error ? error.message : 'failed');
