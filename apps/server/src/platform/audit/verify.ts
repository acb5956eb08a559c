import type pg from 'pg';
import type { Db } from '../db/pool.ts';
import type { Sealing } from '../sealing.ts';
import { readEntriesAfter, readHead, type StoredEntry } from './audit.repo.ts';
import { GENESIS, type Head, hashOf, isSealed, SEAL_BROKEN } from './chain.ts';

export type Damage =
  /** The content of the entry does not match its hash. */
  | 'changed'
  /** Entries between two others are missing. */
  | 'missing'
  /**
   * The entry is intact, but its predecessor is not the one it had when it was written: one of the two was
   * inserted.
   */
  | 'inserted'
  /** The log ends before the sealed last entry. */
  | 'cut-off'
  /** There are entries after the sealed last entry. */
  | 'appended'
  /** The seal of the last entry is not from this installation's secret. */
  | 'seal'
  /** The program found an invalid seal when it wrote this entry. */
  | 'seal-broken'
  /** The log does not contain the entry that was recorded elsewhere. */
  | 'anchor';

export interface Finding {
  damage: Damage;
  /** Number of the first affected entry; `to` is the last one. */
  from: number;
  to: number;
  /** Time and object of the entry, or of the one before the missing entries. */
  at: Date | null;
  object: string;
}

export interface Verification {
  entries: number;
  findings: number;
  /** The last entry, which should be recorded elsewhere and passed to the next verification. */
  head: Head;
}

const BATCH = 2_000;

/**
 * Verifies the whole chain in constant memory and reports each damage as it is found. Only an `anchor`, the
 * head printed by an earlier verification, detects a log that was restored to an older state together with
 * its head.
 */
export async function verifyAudit(
  pool: pg.Pool,
  sealing: Pick<Sealing, 'mac'>,
  report: (finding: Finding) => void,
  anchor: Head | null = null,
): Promise<Verification> {
  const client = await pool.connect();
  try {
    // The transaction uses one snapshot of the log, however long the verification takes.
    await client.query('begin isolation level repeatable read read only');
    const verification = await walk(client, sealing, report, anchor);
    await client.query('commit');
    return verification;
  } finally {
    // The connection is closed if the verification was aborted.
    client.release(true);
  }
}

async function walk(
  db: Db,
  sealing: Pick<Sealing, 'mac'>,
  report: (finding: Finding) => void,
  anchor: Head | null,
): Promise<Verification> {
  const head = (await readHead(db)) ?? null;
  let previous: StoredEntry | null = null;
  let entries = 0;
  let findings = 0;
  let isPreviousWhole = true;
  let isAnchored = anchor === null || anchor.seq === GENESIS.seq;

  function find(damage: Damage, from: number, to: number, entry: StoredEntry | null): void {
    findings++;
    const object = entry ? `${entry.action} ${entry.objectKind} ${entry.objectId} by ${entry.username}` : '';
    report({ damage, from, to, at: entry?.at ?? null, object });
  }

  function examine(entry: StoredEntry, before: Head): void {
    const hasGap = entry.seq !== before.seq + 1;
    if (hasGap) find('missing', before.seq + 1, entry.seq - 1, previous);
    const isWhole = hashOf(entry.previousHash, entry.seq, entry).equals(entry.hash);
    const isSealedOtherwise = head?.seq === entry.seq && !head.hash.equals(entry.hash);
    if (!isWhole || isSealedOtherwise) find('changed', entry.seq, entry.seq, entry);
    else if (!hasGap && isPreviousWhole && !entry.previousHash.equals(before.hash))
      find('inserted', before.seq, entry.seq, entry);
    isPreviousWhole = isWhole;
    if (entry.action === SEAL_BROKEN) find('seal-broken', entry.seq, entry.seq, entry);
    if (anchor?.seq === entry.seq) isAnchored = anchor.hash.equals(entry.hash);
  }

  for (let isMore = true; isMore; ) {
    const batch: StoredEntry[] = await readEntriesAfter(db, previous?.seq ?? GENESIS.seq, BATCH);
    for (const entry of batch) {
      examine(entry, previous ?? GENESIS);
      previous = entry;
      entries++;
    }
    isMore = batch.length === BATCH;
  }

  const last: Head = previous ?? GENESIS;
  if (head ? !isSealed(sealing, head) : entries > 0)
    find('seal', head?.seq ?? last.seq, head?.seq ?? last.seq, previous);
  if (head && head.seq > last.seq) find('cut-off', last.seq + 1, head.seq, previous);
  if (head && head.seq < last.seq) find('appended', head.seq + 1, last.seq, previous);
  if (!isAnchored && anchor) find('anchor', anchor.seq, anchor.seq, null);
  return { entries, findings, head: { seq: last.seq, hash: last.hash } };
}
