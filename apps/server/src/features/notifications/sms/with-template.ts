import { type FilledTemplate, isTemplateFault } from '@isotherm/domain/notifications/message-template';
import type { SmsOutcome } from '@isotherm/domain/notifications/sms-provider';

/**
 * Sends with the template of an organisation, if it has one. If the provider refuses this template, the message is sent
 * with the usual one, because an alarm in other words is better than none.
 */
export async function withTemplate(
  own: FilledTemplate | undefined,
  usual: FilledTemplate,
  send: (template: FilledTemplate) => Promise<SmsOutcome>,
): Promise<SmsOutcome> {
  if (!own) return send(usual);
  const outcome = await send(own);
  const isRefused = outcome.kind === 'refused' || outcome.kind === 'unavailable';
  return isRefused && isTemplateFault(outcome.error) ? send(usual) : outcome;
}
