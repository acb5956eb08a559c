import { AppError, type ErrorCode } from '@isotherm/contracts/errors';
import type pg from 'pg';
import { type Db, isDuplicate, type Tx, transaction } from '../db/pool.ts';
import type { Caller } from '../http/caller.ts';
import type { Audit, AuditEvent } from './audit.ts';

/** Defines how records of a kind are found and logged. */
export interface RecordKind<Row> {
  /** Returns a record in the caller's scope; throws if there is none. */
  find(db: Db, caller: Caller, id: number): Promise<Row>;
  /** Locks the record until the transaction ends. */
  lock?(tx: Tx, id: number): Promise<void>;
  objectOf(row: Row): Pick<AuditEvent, 'objectKind' | 'objectId' | 'objectName' | 'organizationPath'>;
  /** Returns the fields as users enter them. */
  fieldsOf(row: Row): object;
  /** The unique constraint on the name, and its error code. */
  taken?: { constraint: string; code: ErrorCode };
}

/**
 * Creates, edits and deletes records of a kind, each in one transaction with its audit entry, which comes
 * last.
 */
export interface KeptRecords<Row> {
  /** `insert` returns the id of the new record. */
  create(caller: Caller, insert: (tx: Tx) => Promise<number>): Promise<Row>;
  change(caller: Caller, id: number, update: (tx: Tx, before: Row) => Promise<void>): Promise<Row>;
  remove(
    caller: Caller,
    id: number,
    reason: string,
    erase: (tx: Tx, row: Row) => Promise<void>,
  ): Promise<null>;
}

export function createKeptRecords<Row>(
  pool: pg.Pool,
  audit: Pick<Audit, 'record'>,
  { find, lock, objectOf, fieldsOf, taken }: RecordKind<Row>,
): KeptRecords<Row> {
  async function keeping<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    try {
      return await transaction(pool, work);
    } catch (error) {
      if (taken && isDuplicate(error, taken.constraint)) throw new AppError(taken.code, {}, { cause: error });
      throw error;
    }
  }

  async function hold(tx: Tx, caller: Caller, id: number): Promise<Row> {
    await lock?.(tx, id);
    return find(tx, caller, id);
  }

  return {
    create: (caller, insert) =>
      keeping(async (tx) => {
        const row = await find(tx, caller, await insert(tx));
        await audit.record(tx, caller, { action: 'create', ...objectOf(row), after: fieldsOf(row) });
        return row;
      }),
    change: (caller, id, update) =>
      keeping(async (tx) => {
        const before = await hold(tx, caller, id);
        await update(tx, before);
        const after = await find(tx, caller, id);
        await audit.record(tx, caller, {
          action: 'change',
          ...objectOf(after),
          before: fieldsOf(before),
          after: fieldsOf(after),
        });
        return after;
      }),
    remove: (caller, id, reason, erase) =>
      keeping(async (tx) => {
        const row = await hold(tx, caller, id);
        await erase(tx, row);
        await audit.record(tx, caller, { action: 'delete', ...objectOf(row), before: fieldsOf(row), reason });
        return null;
      }),
  };
}
