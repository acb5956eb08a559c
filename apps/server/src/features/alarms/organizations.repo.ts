import type { Db } from '../../platform/db/pool.ts';

/** Ids of the organisations whose path begins with `scope`; null if these are all. */
export async function findOrganizations(db: Db, scope: string): Promise<number[] | null> {
  const { rows } = await db.query<{ ids: number[]; isAll: boolean }>(
    `select coalesce(array_agg(id::float8) filter (where path like $1 || '%'), '{}') as ids,
            coalesce(bool_and(path like $1 || '%'), true) as "isAll" from organization`,
    [scope],
  );
  const [row] = rows;
  return !row || row.isAll ? null : row.ids;
}
