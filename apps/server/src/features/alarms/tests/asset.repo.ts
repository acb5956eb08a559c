import type { Db } from '../../../platform/db/pool.ts';

/** An asset within the scope, as a test names it. */
export async function findAssetOfTest(
  db: Db,
  scope: string,
  id: number,
): Promise<{ name: string; organizationId: number } | null> {
  const { rows } = await db.query<{ name: string; organizationId: number }>(
    `select a.name, a.organization_id::float8 as "organizationId"
       from asset a join organization o on o.id = a.organization_id
      where a.id = $2 and a.deleted_at is null and o.path like $1 || '%'`,
    [scope, id],
  );
  return rows[0] ?? null;
}
