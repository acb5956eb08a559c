import type pg from 'pg';

/** Death of a worker in a test. */
export class Died extends Error {}

/** A pool for one worker, which dies with a statement or with the commit of a transaction. */
export function mortal(pool: pg.Pool, dies: { transaction: number; statement: number } | null) {
  let transactions = 0;
  if (!dies) return { pool, committed: () => 3 };
  const connect = async () => {
    const client = await pool.connect();
    let statements = 0;
    transactions++;
    const isLast = transactions === dies.transaction;
    return new Proxy(client, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (name !== 'query') return typeof value === 'function' ? value.bind(target) : value;
        return async (...given: Parameters<typeof client.query>) => {
          const [text] = given as unknown as [string];
          const isDeath = text === 'commit' || statements++ > dies.statement;
          if (isLast && text !== 'rollback' && isDeath) throw new Died();
          return target.query(...given);
        };
      },
    });
  };
  return {
    pool: new Proxy(pool, {
      get(target, name) {
        if (name === 'connect') return connect;
        const value = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    }),
    committed: () => transactions - 1,
  };
}
