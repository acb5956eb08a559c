import type { MessageChannel } from '@isotherm/contracts/mailbox';

/** A message in the recipient's words. */
export interface Letter {
  id: number;
  recipient: string;
  /** Empty for an SMS. */
  subject: string;
  text: string;
}

/** Hands a letter on. Throws when the other side did not take it; it is tried again then. */
export type Transport = (letter: Letter) => Promise<void>;

export type Transports = Partial<Record<MessageChannel, Transport>>;

/**
 * Development and sandbox deliver to the mailbox page: the letter is there already, so nothing is left to do.
 * Elsewhere there is no channel until one is configured, and whoever wants to send is told so.
 */
export function developmentTransports(): Transports {
  const toMailbox: Transport = async () => undefined;
  return { sms: toMailbox, email: toMailbox };
}
