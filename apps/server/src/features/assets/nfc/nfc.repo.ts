import { containing } from '../../../platform/db/like.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';

export interface TagRow {
  uid: string;
  asset_id: number;
  asset_name: string;
  asset_code: string;
  organization_name: string;
  organization_path: string;
  bound_by: string;
  bound_at: Date;
}

const COLUMNS = `t.uid, t.asset_id, a.name as asset_name, a.code as asset_code, o.name as organization_name,
       o.path as organization_path, t.bound_by, t.bound_at`;
const FROM = `from nfc_tag t
              join asset a on a.id = t.asset_id and a.deleted_at is null
              join organization o on o.id = a.organization_id`;
const SORT = { asset: 'lower(a.name)', boundAt: 't.bound_at' } as const;

export async function listTagRows(
  db: Db,
  scope: string,
  search: string,
  page: { sort: keyof typeof SORT; order: 'asc' | 'desc'; limit: number; offset: number },
): Promise<{ rows: TagRow[]; total: number }> {
  const where = `where o.path like $1 || '%' and ($2 = '' or lower(t.uid) like $2 or a.search_text like $2)`;
  const values = [scope, containing(search.toLowerCase())];
  const [rows, count] = await Promise.all([
    db.query<TagRow>(
      `select ${COLUMNS} ${FROM} ${where}
        order by ${SORT[page.sort]} ${page.order}, t.uid ${page.order} limit $3 offset $4`,
      [...values, page.limit, page.offset],
    ),
    db.query<{ count: number }>(`select count(*) as count ${FROM} ${where}`, values),
  ]);
  return { rows: rows.rows, total: count.rows[0]?.count ?? 0 };
}

export async function findTag(db: Db, scope: string, uid: string): Promise<TagRow | null> {
  const { rows } = await db.query<TagRow>(
    `select ${COLUMNS} ${FROM} where o.path like $1 || '%' and t.uid = $2`,
    [scope, uid],
  );
  return rows[0] ?? null;
}

/**
 * Returns false if the tag is bound to an asset that is not deleted; the tags of a deleted asset are free.
 */
export async function insertTag(
  tx: Tx,
  tag: { uid: string; assetId: number; boundBy: string; boundAt: Date },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `insert into nfc_tag as t (uid, asset_id, bound_by, bound_at) values ($1, $2, $3, $4)
     on conflict (uid) do update set asset_id = excluded.asset_id, bound_by = excluded.bound_by, bound_at = excluded.bound_at
       where exists (select 1 from asset a where a.id = t.asset_id and a.deleted_at is not null)`,
    [tag.uid, tag.assetId, tag.boundBy, tag.boundAt],
  );
  return rowCount === 1;
}

export async function deleteTag(tx: Tx, uid: string): Promise<void> {
  await tx.query('delete from nfc_tag where uid = $1', [uid]);
}
