import type pg from 'pg';
import { transaction } from './pool.ts';

const AT_ONCE = 200;

export interface Statement {
  text: string;
  values: unknown[];
}

/**
 * Maps the rows of a large result in portions, because mapping ten thousand rows at once would block the
 * event loop.
 */
export function mapRows<Row extends pg.QueryResultRow, R>(
  pool: pg.Pool,
  { text, values }: Statement,
  map: (row: Row) => R,
): Promise<R[]> {
  return transaction(pool, async (tx) => {
    // All rows are needed, so a plan that optimises for the first rows would be slower.
    await tx.query('set local cursor_tuple_fraction = 1');
    await tx.query(`declare portion no scroll cursor for ${text}`, values);
    const made: R[] = [];
    for (;;) {
      const { rows } = await tx.query<Row>(`fetch ${AT_ONCE} from portion`);
      made.push(...rows.map(map));
      if (rows.length < AT_ONCE) return made;
    }
  });
}
