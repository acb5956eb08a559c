import { ESM_RECEIPT, ESM_TYPE, type ShortMessage, TAG_MESSAGE_ID, TAG_MESSAGE_STATE } from './bodies.ts';

/** What a delivery receipt says about one message (SMPP 3.4, appendix B, and 5.3.2.35). */
export interface SmppReceipt {
  /** Id that the message had in the response to its submission. */
  messageId: string;
  /** The state in seven letters, as `DELIVRD`. */
  state: string;
  /** Error of the network; empty if there is none. */
  error: string;
}

/** States by their number in the optional parameter. */
const STATES: Readonly<Record<number, string>> = {
  1: 'ENROUTE',
  2: 'DELIVRD',
  3: 'EXPIRED',
  4: 'DELETED',
  5: 'UNDELIV',
  6: 'ACCEPTD',
  7: 'UNKNOWN',
  8: 'REJECTD',
};

/**
 * Reads a receipt from a `deliver_sm`; null if it is none, as for a message of a subscriber. The optional parameters count
 * more than the text, whose format providers vary.
 */
export function readReceipt(message: ShortMessage): SmppReceipt | null {
  if ((message.esmClass & ESM_TYPE) !== ESM_RECEIPT) return null;
  const text = ascii(message.content);
  const id = message.options.get(TAG_MESSAGE_ID);
  const number = message.options.get(TAG_MESSAGE_STATE)?.[0];
  const messageId = id ? ascii(id).replace(/\0.*$/s, '') : (field(text, 'id') ?? '');
  const state = (number === undefined ? undefined : STATES[number]) ?? field(text, 'stat') ?? '';
  if (messageId === '' || messageId.length > 65 || !/^[A-Z]{1,10}$/i.test(state)) return null;
  const error = field(text, 'err') ?? '';
  return { messageId, state: state.toUpperCase(), error: /^0*$/.test(error) ? '' : error.slice(0, 20) };
}

/** Text of printable ASCII characters and NUL; others are left out. */
const ascii = (bytes: Uint8Array) =>
  Array.from(bytes, (byte) => String.fromCharCode(byte))
    .join('')
    .replace(/[^\0\x20-\x7e]/g, '');

const field = (text: string, name: string): string | undefined =>
  text.match(new RegExp(`\\b${name}:\\s?([^\\s:]+)`, 'i'))?.[1];
