import type { MessageChannel } from '@isotherm/contracts/mailbox';

/** A message rendered in the recipient's language. */
export interface Letter {
  id: number;
  recipient: string;
  /** Subject of an e-mail; empty for an SMS. */
  subject: string;
  text: string;
  /** True if the message must wait for no other one. */
  isUrgent?: boolean;
  /** File that is attached to an e-mail. */
  attachment?: { fileName: string; mediaType: string; bytes: Buffer };
}

/** Thrown if the address or the message was refused permanently, so that it is not retried. */
export class RefusedLetterError extends Error {}

/**
 * Delivers a message. Throws if it was not accepted; it is then retried, unless it was refused permanently.
 */
export type Transport = (letter: Letter) => Promise<void>;

export type Transports = Partial<Record<MessageChannel, Transport>>;

/**
 * Returns the transports of development and sandbox, which deliver to the mailbox page with the stored
 * messages. Elsewhere a notification channel has no transport until one is configured, and sending is
 * refused.
 */
export function developmentTransports(): Transports {
  const toMailbox: Transport = async () => undefined;
  return { sms: toMailbox, email: toMailbox };
}
