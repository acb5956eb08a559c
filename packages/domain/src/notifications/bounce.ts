/**
 * What a report about an e-mail means: `hard` it will never reach this address; `soft` it was given up, and another one
 * may arrive; `delayed` the mail server still tries; `none` nothing is wrong.
 */
export type BounceKind = 'hard' | 'soft' | 'delayed' | 'none';

/** A full mailbox, and an e-mail that is too large for it, say nothing about the address (RFC 3463). */
const NOT_THE_ADDRESS: ReadonlySet<string> = new Set(['5.2.2', '5.2.3', '5.3.4']);

/** Judges a report by its action and its enhanced status code. */
export function judgeBounce({ action, status }: { action: string; status: string }): BounceKind {
  if (action === 'delayed') return 'delayed';
  if (action !== 'failed' || status.startsWith('2')) return 'none';
  return status.startsWith('5') && !NOT_THE_ADDRESS.has(status) ? 'hard' : 'soft';
}

/** Number of e-mails to an address that have bounced hard, after which it counts as an address that does not work. */
export const HARD_BOUNCES = 3;

/** Beginning of the errors of e-mails that have bounced. */
export const BOUNCED = 'bounced';

/** Error of an e-mail that has bounced or is delayed, such as `bounced (5.1.1 user unknown)`. */
export const bounceError = (word: 'bounced' | 'delayed', status: string, diagnostic: string): string =>
  `${word} (${[status, diagnostic].filter(Boolean).join(' ')})`;

/** Part before the `@` of the address to which reports about an e-mail are sent. */
export const bounceName = (messageId: number, mac: string): string => `bounces+${messageId}-${mac}`;

/** Length of the code that signs a bounce address: 128 bits in hex. */
export const BOUNCE_MAC_LENGTH = 32;

/** Reads a bounce address of this domain; null if it is another address. The code is not checked here. */
export function readBounceAddress(
  address: string,
  domain: string,
): { messageId: number; mac: string } | null {
  const at = address.lastIndexOf('@');
  if (at < 0 || address.slice(at + 1).toLowerCase() !== domain.toLowerCase()) return null;
  const found = /^bounces\+([1-9]\d{0,14})-([0-9a-f]{32})$/i.exec(address.slice(0, at));
  return found ? { messageId: Number(found[1]), mac: String(found[2]).toLowerCase() } : null;
}
