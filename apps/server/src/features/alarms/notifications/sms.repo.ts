import type { Language } from '@isotherm/i18n/languages';
import type { Db, Tx } from '../../../platform/db/pool.ts';

/** An SMS or call of which an attempt has begun. */
export interface StoredSms {
  id: number;
  number: string;
  language: Language;
  text: string;
  units: number;
  /** Attempts of which it is not known whether the provider accepted them, without one that is under way. */
  unknownAttempts: number;
  /** Until when the attempt that is under way may take, epoch ms; null if none is. */
  leaseUntil: number | null;
  settled: boolean;
  /** The encrypted acknowledge link of an SMS; null if it has none. */
  sealedLink: Buffer | null;
}

const COLUMNS = `notification_id::float8 as id, number, language, text, units, unknown_attempts as "unknownAttempts",
  (extract(epoch from lease_until) * 1000)::float8 as "leaseUntil", settled, sealed_link as "sealedLink"`;

/** The SMS of notifications that were tried before, by the id of the notification. */
export async function findSms(db: Db, ids: readonly number[]): Promise<Map<number, StoredSms>> {
  const { rows } = await db.query<StoredSms>(
    `select ${COLUMNS} from alarm_sms where notification_id = any($1::bigint[])`,
    [ids],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** Locks an SMS against other workers that store an outcome or settle it. */
export async function lockSms(tx: Tx, id: number): Promise<StoredSms | null> {
  const { rows } = await tx.query<StoredSms>(
    `select ${COLUMNS} from alarm_sms where notification_id = $1 for update`,
    [id],
  );
  return rows[0] ?? null;
}

export interface BegunSms {
  id: number;
  number: string;
  language: Language;
  text: string;
  units: number;
  unknownAttempts: number;
  leaseUntil: number;
  /** As base64. */
  sealedLink: string | null;
}

/** Stores that attempts begin. */
export async function beginSms(tx: Tx, begun: readonly BegunSms[]): Promise<void> {
  if (begun.length === 0) return;
  await tx.query(
    `insert into alarm_sms (notification_id, number, language, text, units, unknown_attempts, lease_until, sealed_link)
     select b.id, b.number, b.language, b.text, b.units, b."unknownAttempts", to_timestamp(b."leaseUntil" / 1000),
            decode(b."sealedLink", 'base64')
       from jsonb_to_recordset($1::jsonb) as b(id bigint, number text, language text, text text, units integer,
                                               "unknownAttempts" smallint, "leaseUntil" float8, "sealedLink" text)
     on conflict (notification_id) do update
        set number = excluded.number, text = case when alarm_sms.text = '' then excluded.text else alarm_sms.text end,
            unknown_attempts = excluded.unknown_attempts, lease_until = excluded.lease_until`,
    [JSON.stringify(begun)],
  );
}

/** An attempt by a provider, as it is stored. */
export interface SmsAttemptRow {
  at: string;
  provider: string;
  outcome: string;
  /** Message id of the provider, or its error. */
  detail: string;
}

/** Stores the attempts that were made. `ends` is false if another attempt has begun meanwhile. */
export async function saveSms(
  tx: Tx,
  id: number,
  result: { attempts: readonly SmsAttemptRow[]; unknown: number; providerMessageId: string; ends: boolean },
): Promise<void> {
  await tx.query(
    `update alarm_sms
        set attempts = attempts || $2::jsonb, unknown_attempts = unknown_attempts + $3,
            provider_message_id = case when $4 <> '' then $4 else provider_message_id end,
            lease_until = case when $5 then null else lease_until end
      where notification_id = $1`,
    [id, JSON.stringify(result.attempts), result.unknown, result.providerMessageId, result.ends],
  );
}

/** Error of a message that waits until a provider may be used again. */
const PAUSED = 'provider paused';

/** Puts off a message that no provider may take now. This is no attempt, and its reservation stays. */
export async function deferSms(tx: Tx, id: number, until: number): Promise<void> {
  await tx.query(
    `update alarm_notification
        set due_at = to_timestamp($2::float8 / 1000), attempts = greatest(attempts - 1, 0), error = $3
      where id = $1 and state = 'pending'`,
    [id, until, PAUSED],
  );
}

export async function markSettled(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx.query(
    'update alarm_sms set settled = true, sealed_link = null where notification_id = any($1::bigint[])',
    [ids],
  );
}

/**
 * Locks SMS that still have a reservation although nothing more is sent: their notification was cancelled, or failed
 * without an attempt. Rows that another process has locked are skipped.
 */
export async function lockOver(
  tx: Tx,
  channel: string,
  now: Date,
  most: number,
): Promise<{ id: number; units: number; isSent: boolean }[]> {
  const { rows } = await tx.query<{ id: number; units: number; isSent: boolean }>(
    `select s.notification_id::float8 as id, s.units, n.state = 'sent' as "isSent"
       from alarm_sms s join alarm_notification n on n.id = s.notification_id
      where n.channel = $3 and not s.settled and n.state in ('sent', 'failed', 'cancelled')
        and (s.lease_until is null or s.lease_until <= $1)
      order by s.notification_id limit $2 for update of s skip locked`,
    [now, most, channel],
  );
  return rows;
}
