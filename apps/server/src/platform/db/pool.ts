import pg from 'pg';
import type { Logger } from '../log.ts';

/** A connection or a transaction, as passed to repositories. */
export type Db = Pick<pg.ClientBase, 'query'> | pg.Pool;
export type Tx = pg.PoolClient;

const INT8_OID = 20;
const INT8_ARRAY_OID = 1016;
// Identifiers are bigint in SQL, but small enough for a JS number (contracts/route.ts bounds them).
pg.types.setTypeParser(INT8_OID, Number);
pg.types.setTypeParser(INT8_ARRAY_OID as never, (text) =>
  text === '{}' ? [] : text.slice(1, -1).split(',').map(Number),
);

/** A process that hangs in a transaction loses its session with all locks after this time. */
export const HANGING_SESSION_TIMEOUT_MS = 5_000;

/** Timeouts of sessions in ms, against hanging processes and queries. */
export interface SessionTimeouts {
  idle_in_transaction_session_timeout: number;
  lock_timeout: number;
  statement_timeout: number;
}

/** Settings of all sessions of a pool, in addition to the time-outs. */
export interface SessionSettings {
  /**
   * If false, commits do not wait for the disk: they are lost if the database server crashes within about a second. Only for
   * work that is then repeated without harm.
   */
  waitsForDisk?: boolean;
}

export function createPool(
  connectionString: string,
  max: number,
  log: Logger,
  name: string,
  timeouts?: SessionTimeouts,
  { waitsForDisk = true }: SessionSettings = {},
): pg.Pool {
  const pool = new pg.Pool({
    connectionString,
    ...timeouts,
    ...(waitsForDisk ? {} : { options: '-c synchronous_commit=off' }),
    max,
    application_name: name,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
  });
  // Without this listener, a lost connection would crash the process.
  pool.on('error', (error) => log.warn({ error: error.message }, 'idle database connection lost'));
  pool.on('connect', (client) => {
    client.on('error', (error) => log.warn({ error: error.message }, 'database connection lost'));
  });
  return pool;
}

/** What is to be done once the transaction is committed, such as telling consoles. */
export type AfterCommit = () => void;

export const NOTHING_AFTER_COMMIT: AfterCommit = () => undefined;

/** Runs `work` in one transaction; rolls back when it throws. */
export async function transaction<T>(pool: pg.Pool, work: (tx: Tx) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    return await transactionOn(client, work, (error) => {
      broken = error;
    });
  } finally {
    client.release(broken);
  }
}

/**
 * Runs `work` in one transaction of a connection that the caller keeps. Calls `onBroken` if the transaction could not be
 * rolled back.
 */
export async function transactionOn<T>(
  client: Tx,
  work: (tx: Tx) => Promise<T>,
  onBroken: (error: Error) => void = () => undefined,
): Promise<T> {
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(onBroken);
    throw error;
  }
}

/**
 * Runs `work` on a connection that holds the advisory lock `key` of its session, so that no other process does the same
 * at that time. Returns its result, or null if another process holds the lock. A connection that is lost ends the work
 * and frees the lock. So does one that was idle for `hangingAfterMs`, because its process has stopped.
 */
export async function withSessionLock<T extends object>(
  pool: pg.Pool,
  key: number,
  hangingAfterMs: number,
  work: (client: Tx) => Promise<T>,
): Promise<T | null> {
  const client = await pool.connect();
  let failed: Error | undefined;
  try {
    const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock($1) as held', [key]);
    if (!rows[0]?.held) return null;
    await client.query(
      `select set_config('idle_session_timeout', $1, false), set_config('idle_in_transaction_session_timeout', $1, false)`,
      [String(hangingAfterMs)],
    );
    const result = await work(client);
    await client.query('reset idle_session_timeout');
    await client.query('reset idle_in_transaction_session_timeout');
    await client.query('select pg_advisory_unlock($1)', [key]);
    return result;
  } catch (error) {
    failed = error as Error;
    throw error;
  } finally {
    // After an error the connection is closed, because it may still hold the lock.
    client.release(failed);
  }
}

/**
 * Returns true for SQLSTATE classes 08, 57P, 53, connection loss and 25P03 (idle in transaction): the
 * database is unavailable, in contrast to a wrong query.
 */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = (error as { code?: string }).code ?? '';
  return (
    /^(08|57P|53|25P03)/.test(code) ||
    ['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT'].includes(code) ||
    /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error/.test(
      error.message,
    )
  );
}

/**
 * Returns true if the database responds but cannot write. These errors are also included in
 * `isDatabaseAway`.
 */
export function isDiskFull(error: unknown): boolean {
  return (error as { code?: string } | null)?.code === '53100';
}

/** Returns true for a violation of this unique constraint or index. */
export function isDuplicate(error: unknown, constraint: string): boolean {
  const { code, constraint: broken } = (error ?? {}) as { code?: string; constraint?: string };
  return code === '23505' && broken === constraint;
}
