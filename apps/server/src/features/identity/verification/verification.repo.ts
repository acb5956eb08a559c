import type { CodePurpose } from '@isotherm/contracts/verification';
import type { Db } from '../../../platform/db/pool.ts';

export interface CodeRow {
  id: number;
  hash: string;
  tries_left: number;
  expires_at: Date;
}

export interface SentCounts {
  /** Number of codes sent to this number since a moment. */
  toPhone: number;
  /** Number of codes requested from this address since the same moment. */
  fromAddress: number;
  /** Time when the last code was sent to this number. */
  lastAt: Date | null;
}

export async function countSent(
  db: Db,
  asked: { phone: string; address: string },
  since: Date,
): Promise<SentCounts> {
  const { rows } = await db.query<{ to_phone: number; from_address: number; last_at: Date | null }>(
    `select (select count(*) from verification_code where phone = $1 and created_at > $3) as to_phone,
            (select count(*) from verification_code where address = $2 and created_at > $3) as from_address,
            (select max(created_at) from verification_code where phone = $1) as last_at`,
    [asked.phone, asked.address, since],
  );
  const [row] = rows as [{ to_phone: number; from_address: number; last_at: Date | null }];
  return { toPhone: row.to_phone, fromAddress: row.from_address, lastAt: row.last_at };
}

/** Locks the number and the address, so that parallel requests for them are serialised and all counted. */
export async function lockAskers(db: Db, ...names: readonly string[]): Promise<void> {
  for (const name of [...names].sort())
    await db.query("select pg_advisory_xact_lock(hashtextextended('verification:' || $1, 0))", [name]);
}

export async function insertCode(
  db: Db,
  code: {
    purpose: CodePurpose;
    subject: string;
    phone: string;
    hash: string;
    tries: number;
    createdAt: Date;
    expiresAt: Date;
    address: string;
  },
): Promise<void> {
  await db.query(
    `insert into verification_code (purpose, subject, phone, hash, tries_left, created_at, expires_at, address)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      code.purpose,
      code.subject,
      code.phone,
      code.hash,
      code.tries,
      code.createdAt,
      code.expiresAt,
      code.address,
    ],
  );
}

/** Consumes one attempt of the newest valid code before the code is checked; null if there is none. */
export async function takeTry(
  db: Db,
  asked: { purpose: CodePurpose; subject: string; phone: string },
  now: Date,
): Promise<CodeRow | null> {
  const { rows } = await db.query<CodeRow>(
    `update verification_code set tries_left = tries_left - 1
      where id = (select id from verification_code
                   where purpose = $1 and subject = $2 and phone = $3
                   order by created_at desc, id desc limit 1)
        and expires_at > $4 and tries_left > 0
      returning id, hash, tries_left, expires_at`,
    [asked.purpose, asked.subject, asked.phone, now],
  );
  return rows[0] ?? null;
}

/**
 * Marks a code as used: only one of two simultaneous uses gets true, even if the other process read its
 * clock earlier and then waited for the row.
 */
export async function useUp(db: Db, id: number, now: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    `update verification_code set expires_at = '-infinity', tries_left = 0 where id = $1 and expires_at > $2`,
    [id, now],
  );
  return rowCount === 1;
}

export async function deleteCodesBefore(db: Db, before: Date): Promise<void> {
  await db.query('delete from verification_code where created_at < $1', [before]);
}
