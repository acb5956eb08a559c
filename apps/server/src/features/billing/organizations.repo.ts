import type { Db } from '../../platform/db/pool.ts';

export async function findOrganizationName(db: Db, id: number): Promise<string | null> {
  const { rows } = await db.query<{ name: string }>('select name from organization where id = $1', [id]);
  return rows[0]?.name ?? null;
}
