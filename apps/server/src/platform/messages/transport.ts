import type { MessageChannel } from '@isotherm/contracts/mailbox';

/** A message rendered in the recipient's language. */
export interface Letter {
  id: number;
  recipient: string;
  /** Empty for an SMS. */
  subject: string;
  text: string;
}

/** The address or the letter was refused for good: it is not retried. */
export class RefusedLetterError extends Error {}

/** Delivers a letter. Throws if it was not accepted; it is then retried, unless it was refused for good. */
export type Transport = (letter: Letter) => Promise<void>;

export type Transports = Partial<Record<MessageChannel, Transport>>;

/**
 * Development and sandbox deliver to the mailbox page, which shows the stored messages. Elsewhere a channel
 * has no transport until one is configured, and sending is refused.
 */
export function developmentTransports(): Transports {
  const toMailbox: Transport = async () => undefined;
  return { sms: toMailbox, email: toMailbox };
}
