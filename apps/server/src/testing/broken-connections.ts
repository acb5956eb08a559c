import type pg from 'pg';
import { createPool, type Tx } from '../platform/db/pool.ts';
import { createLog } from '../platform/log.ts';

/** The moment at which a connection to the database breaks. */
export interface Fault {
  /**
   * Number of the statement in a transaction, `commit` for before its commit, or `committed` for after its
   * commit but before the response.
   */
  at: number | 'commit' | 'committed';
  /** True if the process dies as well; otherwise it retries the transaction. */
  isFatal: boolean;
}

export interface BreakablePool {
  pool: pg.Pool;
  /** Breaks the connection of the next transaction that reaches the fault; null breaks none. */
  breakNext(fault: Fault | null): void;
  /** Breaks all connections, and refuses new ones. */
  breakAll(): void;
  end(): Promise<void>;
}

const lost = () => Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' });

/**
 * Creates a connection pool whose connections really break at the moments that a test names. `onFatal` is
 * called for fatal faults.
 */
export function createBreakablePool(connectionString: string, onFatal: () => void): BreakablePool {
  const pool = createPool(connectionString, 2, createLog('silent', false), 'breakable');
  const open = new Set<Tx>();
  let next: Fault | null = null;
  let isBroken = false;

  const breakIt = (client: Tx) =>
    (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();

  function strike(client: Tx, fault: Fault): void {
    next = null;
    breakIt(client);
    if (fault.isFatal) onFatal();
  }

  function watched(client: Tx): Tx {
    let statements = 0;
    async function query(...args: unknown[]): Promise<unknown> {
      const run = () => (client.query as (...all: unknown[]) => Promise<unknown>)(...args);
      const isCommit = args[0] === 'commit';
      if (args[0] === 'begin') statements = 0;
      statements++;
      const fault = next;
      if (
        fault &&
        (fault.at === (isCommit ? 'commit' : statements) || (isCommit && typeof fault.at === 'number'))
      )
        strike(client, fault);
      const result = await run();
      if (next && next.at === 'committed' && isCommit) {
        strike(client, next);
        throw lost();
      }
      return result;
    }
    return new Proxy(client, {
      get(target, name) {
        if (name === 'query') return query;
        if (name === 'release')
          return (error?: Error) => {
            open.delete(client);
            target.release(error);
          };
        const value = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  }

  const breakable = Object.create(pool, {
    connect: {
      async value() {
        if (isBroken) throw lost();
        const client = await pool.connect();
        open.add(client);
        return watched(client);
      },
    },
  }) as pg.Pool;

  return {
    pool: breakable,
    breakNext(fault) {
      next = fault;
    },
    breakAll() {
      isBroken = true;
      for (const client of open) breakIt(client);
    },
    end: () => pool.end(),
  };
}
