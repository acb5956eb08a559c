import type { ReceiptState } from './receipt.ts';
import type { SmsOutcome } from './sms-provider.ts';

/** Statuses of SMPP that are about the message itself, so that no further attempt helps: its length and its number. */
const REFUSED: ReadonlySet<number> = new Set([0x01, 0x0b, 0x50, 0x51]);
/** Statuses that ask for a pause: throttled, and queue full. */
const BUSY: ReadonlySet<number> = new Set([0x58, 0x14]);

/** True if the SMSC takes the message after a pause. */
export const isBusy = (status: number): boolean => BUSY.has(status);

/** Evaluates the status of a `submit_sm_resp` other than success. The message was not accepted. */
export const judgeSmpp = (status: number, name: string): SmsOutcome => ({
  kind: REFUSED.has(status) ? 'refused' : 'unavailable',
  error: name,
});

/** Final states of receipts; `ENROUTE` and `ACCEPTD` say nothing final. */
const STATES: ReadonlyMap<string, ReceiptState> = new Map([
  ['DELIVRD', 'delivered'],
  ['EXPIRED', 'failed'],
  ['DELETED', 'failed'],
  ['UNDELIV', 'failed'],
  ['UNKNOWN', 'failed'],
  ['REJECTD', 'failed'],
]);

/** The final state of a part of a message; null if the state is not final. */
export const smppState = (state: string): ReceiptState | null => STATES.get(state) ?? null;

/**
 * State of a message that was sent in parts: delivered when all parts are, failed as soon as one has failed; null until
 * one of these is known.
 */
export function stateOfParts(parts: readonly (ReceiptState | null)[], count: number): ReceiptState | null {
  if (parts.includes('failed')) return 'failed';
  return parts.length === count && parts.every((state) => state === 'delivered') ? 'delivered' : null;
}

/** Pause before the next connection after this number of failed ones, ms. */
export const reconnectPause = (failures: number): number =>
  Math.min(30_000, 1_000 * 2 ** Math.min(failures - 1, 10));
