import type pg from 'pg';
import { transaction } from './pool.ts';

const AT_ONCE = 200;

export interface Statement {
  text: string;
  values: unknown[];
}

/**
 * What becomes of each row of a long answer. It is read portion by portion: taking ten thousand rows apart in one
 * piece would hold up everybody else.
 */
export function mapRows<Row extends pg.QueryResultRow, R>(
  pool: pg.Pool,
  { text, values }: Statement,
  map: (row: Row) => R,
): Promise<R[]> {
  return transaction(pool, async (tx) => {
    // All of it is wanted: a plan that has the first rows soon would be the wrong one.
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
