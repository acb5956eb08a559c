import {
  escalatesNow,
  isNumberOf,
  type Receipt,
  type ReceiptState,
  resultOf,
} from '@isotherm/domain/notifications/receipt';
import type pg from 'pg';
import type { Clock } from '../../../platform/clock.ts';
import { type Tx, transaction } from '../../../platform/db/pool.ts';
import {
  findSteps,
  hastenEscalation,
  insertReceipt,
  lockAlarmsOf,
  markBounced,
  markDelayed,
  markMissed,
  markReached,
  notificationsOfMail,
  receiptStates,
} from './receipts.repo.ts';
import { lockSms } from './sms.repo.ts';

/** Errors of messages whose receipts say that they have not reached their recipients. */
const MISSED_WORDS = {
  failed: 'not delivered',
  'not-answered': 'not answered',
  busy: 'busy',
} as const satisfies Partial<Record<ReceiptState, string>>;
type MissedState = keyof typeof MISSED_WORDS;
/** Errors that a receipt of a reached recipient refutes. */
const REFUTABLE = ['outcome unknown', ...Object.values(MISSED_WORDS)];
const isMissed = (state: ReceiptState): state is MissedState => Object.hasOwn(MISSED_WORDS, state);

/** Takes the receipts of providers. */
export interface Receipts {
  /**
   * Stores receipts whose origin was verified, and notifies the next people of an escalation at once where nobody could be
   * reached. Receipts of unknown messages are ignored, and so are those that were stored before.
   */
  take(provider: string, receipts: readonly Receipt[]): Promise<void>;
}

/** Receipts of messages about alarms. They may arrive before the outcome of the attempt is stored. */
export function createReceipts(pool: pg.Pool, clock: Clock): Receipts {
  return {
    async take(provider, receipts) {
      for (const receipt of receipts) {
        if (!/^\d{1,15}$/.test(receipt.messageId)) continue;
        const id = Number(receipt.messageId);
        await transaction(pool, async (tx) => {
          const message = await lockSms(tx, id);
          if (!message || !isNumberOf(message.number, receipt.number)) return;
          const now = clock.now();
          if (await insertReceipt(tx, id, { provider, receipt, now })) await applyReceipts(tx, id, now);
        });
      }
    },
  };
}

/**
 * Takes what is reported about an e-mail: one that has bounced has failed, and the next people of an escalation are notified
 * at once where nobody could be reached; a delay is only noted.
 */
export async function takeBounce(
  tx: Tx,
  bounce: { messageId: number; isDelayed: boolean; error: string },
  now: number,
): Promise<void> {
  const { messageId, isDelayed, error } = bounce;
  if (isDelayed) return markDelayed(tx, messageId, error);
  // E-mails to two people may bounce at once: only under the lock of the alarm does the later one see the earlier one.
  for (const id of await notificationsOfMail(tx, messageId)) await lockAlarmsOf(tx, id);
  for (const id of await markBounced(tx, messageId, error)) await escalateUnreached(tx, id, now);
}

/** Gives a message the state that follows from its receipts. The caller has locked it. */
export async function applyReceipts(tx: Tx, id: number, now: number): Promise<void> {
  const states = await receiptStates(tx, id);
  const result = resultOf(states);
  if (result === 'reached') await markReached(tx, id, REFUTABLE, now);
  else if (result === 'missed') {
    // Receipts of two people may arrive at once: only under the lock of the alarm does the later one see the earlier one.
    await lockAlarmsOf(tx, id);
    const last = states.findLast(isMissed);
    if (last) await markMissed(tx, id, MISSED_WORDS[last]);
    await escalateUnreached(tx, id, now);
  }
}

/**
 * Makes the escalations that follow the steps of a message due now where nobody can be reached. The caller has locked its
 * alarms.
 */
export async function escalateUnreached(tx: Tx, id: number, now: number): Promise<void> {
  for (const step of await findSteps(tx, id))
    if (escalatesNow(step.messages)) await hastenEscalation(tx, step, now);
}
