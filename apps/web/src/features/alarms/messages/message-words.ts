import type { Text } from '../../../shared/i18n/use-text.ts';

export const MESSAGES_KEY = ['alarms', 'messages'] as const;

/** Errors that the server stores itself; all others are those of providers and servers, as they gave them. */
const KNOWN = {
  'alertor offline': 'alarm-messages.error.alertor-offline',
  balance: 'alarm-messages.error.balance',
  busy: 'alarm-messages.error.busy',
  'daily limit': 'alarm-messages.error.daily-limit',
  'no browser': 'alarm-messages.error.no-browser',
  'no browser or app': 'alarm-messages.error.no-browser',
  'no e-mail address': 'alarm-messages.error.no-email',
  'no mobile number': 'alarm-messages.error.no-mobile',
  'no transport': 'alarm-messages.error.no-transport',
  'not answered': 'alarm-messages.error.not-answered',
  'not bound to wechat': 'alarm-messages.error.wechat-not-bound',
  'not subscribed to wechat': 'alarm-messages.error.wechat-not-subscribed',
  'not confirmed': 'alarm-messages.error.not-confirmed',
  'not delivered': 'alarm-messages.error.not-delivered',
  'not shown': 'alarm-messages.error.not-shown',
  'nobody on call': 'alarm-messages.error.nobody-on-call',
  'outcome unknown': 'alarm-messages.error.outcome-unknown',
  'provider paused': 'alarm-messages.error.provider-paused',
  'quiet hours': 'alarm-messages.error.quiet-hours',
  'recipient removed': 'alarm-messages.error.recipient-removed',
  suppressed: 'alarm-messages.error.suppressed',
} as const;

export function errorText(error: string, text: Text): string {
  const id = Object.hasOwn(KNOWN, error) ? KNOWN[error as keyof typeof KNOWN] : null;
  return id ? text(id) : error;
}
