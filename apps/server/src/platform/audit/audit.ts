import type { AuditAction } from '@isotherm/domain/access/audit-actions';
import type pg from 'pg';
import type { Clock } from '../clock.ts';
import { type Tx, transaction } from '../db/pool.ts';
import type { Sealing } from '../sealing.ts';
import {
  appendEntries,
  ensureHead,
  findLastEntry,
  findTopPath,
  lockHead,
  type StoredEntry,
} from './audit.repo.ts';
import {
  GENESIS,
  type Head,
  hashOf,
  isSealed,
  SEAL_BROKEN,
  type SealedHead,
  type Statement,
  sealHead,
} from './chain.ts';
import { difference, isUnchanged } from './difference.ts';
import { storable } from './plain.ts';

/**
 * The actor of an event; a `Caller` can be used. API keys and failed logins have a name, but no account and
 * no session.
 */
export interface Actor {
  accountId: number | null;
  username: string;
  sessionId: string | null;
  address: string;
}

export interface AuditEvent {
  action: AuditAction;
  /** Kind of the object, such as `user`, `role`, `menu`; its text is `logs.kind.<kind>`. */
  objectKind: string;
  objectId: number | string;
  /** Name of the object at that time. */
  objectName: string;
  /** A creation has `after`, a deletion `before`, a change both; always the whole object. */
  before?: object | null;
  after?: object | null;
  reason?: string;
  /** Path of the object's organisation ('/1/4/'): callers whose scope covers it may read the entry. */
  organizationPath: string;
}

/**
 * The audit log of all changes and their actors (docs/audit.md). Each use case that writes ends its
 * transaction with it:
 *
 *     await transaction(pool, async (tx) => {
 *       const before = await findRole(tx, id);
 *       const after = await updateRole(tx, id, form);
 *       await audit.record(tx, caller, { action: 'change', objectKind: 'role', objectId: id,
 *         objectName: after.name, before, after, organizationPath: caller.scope });
 *     });
 *
 * so that there is no change without its entry and no entry without its change.
 */
export interface Audit {
  /**
   * Appends entries in this order. Call it LAST in the transaction, because all other entries wait for its
   * commit; split thousands into several calls, since the hashes of one call are computed without a pause.
   * Unchanged fields are omitted, and so is an event without changes; passwords, tokens, keys and hashes are
   * removed by their field names.
   */
  record(tx: Tx, actor: Actor, ...events: readonly AuditEvent[]): Promise<void>;
  /** Records events in a transaction of their own, for events without a change: a failed login, an export. */
  recordAlone(actor: Actor, ...events: readonly AuditEvent[]): Promise<void>;
}

const MAX_NAME = 200;

export function createAudit(pool: pg.Pool, sealing: Pick<Sealing, 'mac'>, clock: Clock): Audit {
  async function record(tx: Tx, actor: Actor, ...events: readonly AuditEvent[]): Promise<void> {
    const at = new Date(clock.now());
    const statements = events.flatMap((event) => statementOf(actor, event, at));
    if (statements.length === 0) return;
    let last: Head = await headOf(tx);
    if (!isSealed(sealing, last as SealedHead))
      statements.unshift(brokenSeal(last, at, await findTopPath(tx)));
    const entries: StoredEntry[] = [];
    for (const statement of statements) {
      const seq = last.seq + 1;
      const hash = hashOf(last.hash, seq, statement);
      entries.push({ ...statement, seq, previousHash: last.hash, hash });
      last = { seq, hash };
    }
    await appendEntries(tx, entries, sealHead(sealing, last));
  }

  async function headOf(tx: Tx): Promise<SealedHead> {
    const head = await lockHead(tx);
    if (head) return head;
    const last = await findLastEntry(tx);
    // If there are entries without a head (the sealed record of the newest entry), someone deleted it. The
    // new head has no valid seal, which is reported.
    await ensureHead(tx, last ? { ...last, mac: '' } : sealHead(sealing, GENESIS));
    return headOf(tx);
  }

  return {
    record,
    recordAlone: (actor, ...events) => transaction(pool, (tx) => record(tx, actor, ...events)),
  };
}

/**
 * Returns an entry which states that the head has an invalid seal: entries may be missing before this one.
 * Silently sealing a new head would hide that.
 */
function brokenSeal(head: Head, at: Date, organizationPath: string): Statement {
  return {
    at,
    accountId: null,
    username: 'system',
    sessionId: null,
    address: '',
    organizationPath,
    action: SEAL_BROKEN,
    objectKind: 'audit',
    objectId: String(head.seq),
    objectName: '',
    before: null,
    after: null,
    reason: '',
  };
}

/** Returns nothing if nothing was changed. */
function statementOf(actor: Actor, event: AuditEvent, at: Date): Statement[] {
  const changed = difference(event.before, event.after);
  if (isUnchanged(changed)) return [];
  return [
    {
      at,
      accountId: actor.accountId,
      username: storable(actor.username, MAX_NAME),
      sessionId: actor.sessionId,
      address: storable(actor.address, MAX_NAME),
      organizationPath: event.organizationPath,
      action: event.action,
      objectKind: event.objectKind,
      objectId: storable(String(event.objectId), MAX_NAME),
      objectName: storable(event.objectName, MAX_NAME),
      before: changed.before,
      after: changed.after,
      reason: storable(event.reason ?? ''),
    },
  ];
}
