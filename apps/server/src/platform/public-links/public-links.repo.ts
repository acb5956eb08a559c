import type { Db, Tx } from '../db/pool.ts';

/** What public links are for. Each shows only what it was created for. */
export type LinkPurpose =
  | 'alarm-acknowledge'
  | 'car-screen'
  | 'replay'
  | 'report-file'
  | 'report-verify'
  | 'screen'
  | 'waybill-view';

export interface NewLink {
  purpose: LinkPurpose;
  subjectId: number;
  /** The person whom it is sent to. */
  person: { type: string; id: number } | null;
  /** How long it is valid, ms; null: it does not expire. */
  lifeMs: number | null;
  /** How often it can be used; null: any number of times. */
  mostUses: number | null;
  /** The notification channel of the message that contains it. */
  sentBy: string;
}

export interface LinkRow {
  subjectId: number;
  personType: string | null;
  personId: number | null;
  /** True if it has no uses left. */
  isUsed: boolean;
  /** How often a PIN was entered since the last right one. */
  pinTries: number;
}

/** A link that works, as people see it; its token is known to nobody. */
export interface OpenLink {
  id: number;
  subjectId: number;
  personType: string | null;
  personId: number | null;
  sentBy: string;
  createdAt: Date;
  expiresAt: Date;
  /** When it was last used; null: never. */
  lastUsedAt: Date | null;
  pinTries: number;
}

const COLUMNS = `subject_id::float8 as "subjectId", person_type as "personType", person_id::float8 as "personId",
  coalesce(uses >= most_uses, false) as "isUsed", pin_tries as "pinTries"`;
const IS_VALID =
  'purpose = $1 and token_hash = $2 and revoked_at is null and (expires_at is null or expires_at > $3)';

export async function insertLink(
  tx: Tx,
  hash: Buffer,
  link: Omit<NewLink, 'lifeMs'>,
  now: Date,
  expiresAt: Date | null,
): Promise<void> {
  await tx.query(
    `insert into public_link (token_hash, purpose, subject_id, person_type, person_id, created_at, expires_at, most_uses,
                              sent_by)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      hash,
      link.purpose,
      link.subjectId,
      link.person?.type ?? null,
      link.person?.id ?? null,
      now,
      expiresAt,
      link.mostUses,
      link.sentBy,
    ],
  );
}

export async function findLink(db: Db, purpose: string, hash: Buffer, now: Date): Promise<LinkRow | null> {
  const { rows } = await db.query<LinkRow>(`select ${COLUMNS} from public_link where ${IS_VALID}`, [
    purpose,
    hash,
    now,
  ]);
  return rows[0] ?? null;
}

export async function takeUse(tx: Tx, purpose: string, hash: Buffer, now: Date): Promise<LinkRow | null> {
  const { rows } = await tx.query<LinkRow>(
    `update public_link set uses = uses + 1, last_used_at = $3
      where ${IS_VALID} and (most_uses is null or uses < most_uses) returning ${COLUMNS}`,
    [purpose, hash, now],
  );
  return rows[0] ?? null;
}

/** Counts an entered PIN unless `most` were entered; returns false then. */
export async function takePinTry(
  db: Db,
  purpose: string,
  hash: Buffer,
  now: Date,
  most: number,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update public_link set pin_tries = pin_tries + 1 where ${IS_VALID} and pin_tries < $4`,
    [purpose, hash, now, most],
  );
  return rowCount === 1;
}

/** Forgets the entered PINs of a link after the right one. */
export async function forgetPinTries(db: Db, purpose: string, hash: Buffer): Promise<void> {
  await db.query('update public_link set pin_tries = 0 where purpose = $1 and token_hash = $2', [
    purpose,
    hash,
  ]);
}

const OPEN_COLUMNS = `id::float8 as id, subject_id::float8 as "subjectId", person_type as "personType", person_id::float8 as "personId", sent_by as "sentBy",
  created_at as "createdAt", expires_at as "expiresAt", last_used_at as "lastUsedAt",
  pin_tries as "pinTries"`;
const IS_OPEN =
  'purpose = $1 and subject_id = any($2) and revoked_at is null and expires_at > $3 and (most_uses is null or uses < most_uses)';

/** Links of these records that can still be used, the newest first. */
export async function listOpenLinks(
  db: Db,
  purpose: string,
  subjectIds: readonly number[],
  now: Date,
): Promise<OpenLink[]> {
  const { rows } = await db.query<OpenLink>(
    `select ${OPEN_COLUMNS} from public_link where ${IS_OPEN} order by id desc`,
    [purpose, subjectIds, now],
  );
  return rows;
}

/** Revokes a link of a record; null if it cannot be used any more. */
export async function revokeLink(
  tx: Tx,
  purpose: string,
  subjectId: number,
  now: Date,
  id: number,
  accountId: number | null,
): Promise<OpenLink | null> {
  const { rows } = await tx.query<OpenLink>(
    `update public_link set revoked_at = $3, revoked_by = $5 where ${IS_OPEN} and id = $4 returning ${OPEN_COLUMNS}`,
    [purpose, [subjectId], now, id, accountId],
  );
  return rows[0] ?? null;
}

export async function deleteLinksExpiredBefore(db: Db, before: Date): Promise<void> {
  await db.query('delete from public_link where expires_at < $1', [before]);
}
