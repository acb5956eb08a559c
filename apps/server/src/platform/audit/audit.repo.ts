import type { Db, Tx } from '../db/pool.ts';
import type { Head, SealedHead, Statement } from './chain.ts';

export interface StoredEntry extends Statement {
  seq: number;
  previousHash: Buffer;
  hash: Buffer;
}

/** Returns the newest entry, locked until the transaction ends, so that entries are in sequence. */
export async function lockHead(tx: Tx): Promise<SealedHead | null> {
  const { rows } = await tx.query<SealedHead>({
    name: 'audit-lock-head',
    text: 'select seq, hash, mac from audit_head where one for update',
  });
  return rows[0] ?? null;
}

/** Returns the entry with the highest number, read from the entries themselves. */
export async function findLastEntry(db: Db): Promise<Head | null> {
  const { rows } = await db.query<Head>('select seq, hash from audit_entry order by seq desc limit 1');
  return rows[0] ?? null;
}

/** Returns the path of the organisation for entries about the log itself; '/' before there is one. */
export async function findTopPath(db: Db): Promise<string> {
  const { rows } = await db.query<{ path: string }>(
    'select path from organization where parent_id is null order by id limit 1',
  );
  return rows[0]?.path ?? '/';
}

/** Inserts the row whose lock serialises the first entries, unless it exists. */
export async function ensureHead(db: Db, head: SealedHead): Promise<void> {
  await db.query('insert into audit_head (seq, hash, mac) values ($1, $2, $3) on conflict do nothing', [
    head.seq,
    head.hash,
    head.mac,
  ]);
}

export async function readHead(db: Db): Promise<SealedHead | null> {
  const { rows } = await db.query<SealedHead>('select seq, hash, mac from audit_head where one');
  return rows[0] ?? null;
}

/** Appends entries and updates the newest entry in one statement, to hold the lock briefly. */
export async function appendEntries(
  tx: Tx,
  entries: readonly StoredEntry[],
  head: SealedHead,
): Promise<void> {
  const column = <K extends keyof StoredEntry>(name: K) => entries.map((entry) => entry[name]);
  const json = (name: 'before' | 'after') =>
    entries.map((entry) => (entry[name] === null ? null : JSON.stringify(entry[name])));
  await tx.query({
    name: 'audit-append',
    text: `with headed as (update audit_head set seq = $17, hash = $18, mac = $19 where one)
           insert into audit_entry (seq, at, account_id, username, session_id, address, organization_path, action,
                  object_kind, object_id, object_name, before, after, reason, previous_hash, hash)
           select * from unnest($1::bigint[], $2::timestamptz[], $3::bigint[], $4::text[], $5::uuid[], $6::text[],
                  $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::jsonb[], $13::jsonb[],
                  $14::text[], $15::bytea[], $16::bytea[])`,
    values: [
      column('seq'),
      column('at'),
      column('accountId'),
      column('username'),
      column('sessionId'),
      column('address'),
      column('organizationPath'),
      column('action'),
      column('objectKind'),
      column('objectId'),
      column('objectName'),
      json('before'),
      json('after'),
      column('reason'),
      column('previousHash'),
      column('hash'),
      head.seq,
      head.hash,
      head.mac,
    ],
  });
}

/** Returns the next entries after a number, in order. */
export async function readEntriesAfter(db: Db, seq: number, most: number): Promise<StoredEntry[]> {
  const { rows } = await db.query<StoredEntry>(
    `select seq, at, account_id as "accountId", username, session_id as "sessionId", address,
            organization_path as "organizationPath", action, object_kind as "objectKind",
            object_id as "objectId", object_name as "objectName", before, after, reason,
            previous_hash as "previousHash", hash
       from audit_entry where seq > $1 order by seq limit $2`,
    [seq, most],
  );
  return rows;
}
