import { timingSafeEqual } from 'node:crypto';
import {
  BOUNCE_MAC_LENGTH,
  bounceError,
  bounceName,
  judgeBounce,
  readBounceAddress,
} from '@isotherm/domain/notifications/bounce';
import type pg from 'pg';
import type { Clock } from '../clock.ts';
import { type Tx, transaction } from '../db/pool.ts';
import type { Sealing } from '../sealing.ts';
import { failMail, insertBounce, lockMail } from './bounces.repo.ts';

/** Purpose of the codes that sign bounce addresses; it is part of the key derivation. */
const PURPOSE = 'mail-bounce';

/** Signs the address to which reports about an e-mail are sent (variable envelope return path). */
export interface BounceAddresses {
  /** Envelope sender of an e-mail. */
  of(messageId: number): string;
  /** The e-mail that an address belongs to; null if the address was not signed by this installation. */
  verify(address: string): number | null;
}

export function createBounceAddresses(sealing: Pick<Sealing, 'mac'>, domain: string): BounceAddresses {
  const macOf = (messageId: number) =>
    sealing.mac(PURPOSE, String(messageId)).slice(0, BOUNCE_MAC_LENGTH).toLowerCase();
  return {
    of: (messageId) => `${bounceName(messageId, macOf(messageId))}@${domain}`,
    verify(address) {
      const read = readBounceAddress(address, domain);
      if (!read) return null;
      return timingSafeEqual(Buffer.from(read.mac), Buffer.from(macOf(read.messageId)))
        ? read.messageId
        : null;
    },
  };
}

/** What a mail server reports about a recipient (RFC 3464). */
export interface DeliveryStatus {
  action: string;
  /** Enhanced status code, such as 5.1.1. */
  status: string;
  diagnostic: string;
}

/** What became of a report: `ignored` if it says nothing new, or is about no e-mail of ours. */
export type BounceResult = 'failed' | 'delayed' | 'ignored';

/** Takes reports about e-mails. */
export interface Bounces {
  /** Takes what is reported to the bounce address of a message. May be repeated. */
  take(messageId: number, statuses: readonly DeliveryStatus[]): Promise<BounceResult>;
}

export function createBounces({
  pool,
  clock,
  onBounce,
}: {
  pool: pg.Pool;
  clock: Clock;
  /** Tells the feature that has sent the e-mail, in the transaction that stores the report. */
  onBounce: (
    tx: Tx,
    bounce: { messageId: number; isDelayed: boolean; error: string },
    now: number,
  ) => Promise<void>;
}): Bounces {
  return {
    async take(messageId, statuses) {
      // Each e-mail has one recipient and an address of its own, so the worst report is about it.
      const reports = statuses.map((each) => ({ ...each, kind: judgeBounce(each) }));
      const report =
        reports.find(({ kind }) => kind === 'hard' || kind === 'soft') ??
        reports.find(({ kind }) => kind === 'delayed');
      if (!report) return 'ignored';
      const isDelayed = report.kind === 'delayed';
      const error = bounceError(isDelayed ? 'delayed' : 'bounced', report.status, report.diagnostic);
      return transaction(pool, async (tx) => {
        const recipient = await lockMail(tx, messageId);
        if (recipient === null) return 'ignored';
        const now = clock.now();
        const { kind, status, diagnostic } = report;
        const isNew = await insertBounce(tx, {
          messageId,
          recipient,
          kind,
          status,
          diagnostic,
          receivedAt: new Date(now),
        });
        if (!isNew) return 'ignored';
        // First the feature: a trigger gives what is still being sent the state of the e-mail.
        await onBounce(tx, { messageId, isDelayed, error }, now);
        if (!isDelayed) await failMail(tx, messageId, error, new Date(now));
        return isDelayed ? 'delayed' : 'failed';
      });
    },
  };
}
