import type { Text } from '../../../shared/i18n/use-text.ts';

export const MESSAGES_KEY = ['alarms', 'messages'] as const;

/** Errors that the server stores itself; all others are those of providers and servers, as they gave them. */
const KNOWN = {
  balance: 'alarm-messages.error.balance',
  'daily limit': 'alarm-messages.error.daily-limit',
  'no e-mail address': 'alarm-messages.error.no-email',
  'no mobile number': 'alarm-messages.error.no-mobile',
  'no transport': 'alarm-messages.error.no-transport',
  'nobody on call': 'alarm-messages.error.nobody-on-call',
  'outcome unknown': 'alarm-messages.error.outcome-unknown',
  'quiet hours': 'alarm-messages.error.quiet-hours',
  'recipient removed': 'alarm-messages.error.recipient-removed',
  suppressed: 'alarm-messages.error.suppressed',
} as const;

export function errorText(error: string, text: Text): string {
  const id = Object.hasOwn(KNOWN, error) ? KNOWN[error as keyof typeof KNOWN] : null;
  return id ? text(id) : error;
}
