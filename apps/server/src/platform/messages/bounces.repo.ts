import { HARD_BOUNCES } from '@isotherm/domain/notifications/bounce';
import type { Db, Tx } from '../db/pool.ts';

/** SQL for whether so many e-mails to an address have bounced that it does not work. `column` is a constant. */
export const emailFails = (column: string): string =>
  `(${column} <> '' and (select count(*) from (select 1 from mail_bounce b
      where b.recipient = lower(${column}) and b.kind = 'hard' limit ${HARD_BOUNCES}) hard) = ${HARD_BOUNCES})`;

/** Locks an e-mail; returns its recipient, or null if it does not exist or is older than messages are kept. */
export async function lockMail(tx: Tx, id: number): Promise<string | null> {
  const { rows } = await tx.query<{ recipient: string }>(
    `select recipient from message where id = $1 and channel = 'email' for update`,
    [id],
  );
  return rows[0]?.recipient ?? null;
}

/** Stores a report. Returns false if one was stored before. */
export async function insertBounce(
  tx: Tx,
  bounce: {
    messageId: number;
    recipient: string;
    kind: string;
    status: string;
    diagnostic: string;
    receivedAt: Date;
  },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `insert into mail_bounce (message_id, recipient, kind, status, diagnostic, received_at)
     values ($1, lower($2), $3, $4, $5, $6) on conflict do nothing`,
    [bounce.messageId, bounce.recipient, bounce.kind, bounce.status, bounce.diagnostic, bounce.receivedAt],
  );
  return rowCount === 1;
}

/** Marks an e-mail as failed, also if the outcome of its attempt is not stored yet. */
export async function failMail(db: Db, id: number, error: string, now: Date): Promise<void> {
  await db.query(
    `update message set status = 'failed', error = $2, settled_at = coalesce(settled_at, $3)
      where id = $1 and status in ('pending', 'sent')`,
    [id, error, now],
  );
}
