import type { Db } from '../../../platform/db/pool.ts';

/** Counts devices in a scope that expire before a moment, including expired ones. */
export async function countExpiring(db: Db, scope: string, before: Date): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*) as count from device d join organization o on o.id = d.organization_id
      where o.path like $1 || '%' and d.deleted_at is null and d.expires_at < $2`,
    [scope, before],
  );
  return (rows[0] as { count: number }).count;
}

/** Returns the number of expiring devices when the account last read the notice; 0 if it never did. */
export async function findReadCount(db: Db, accountId: number): Promise<number> {
  const { rows } = await db.query<{ expired_count: number }>(
    'select expired_count from renewal_notice_read where account_id = $1',
    [accountId],
  );
  return rows[0]?.expired_count ?? 0;
}

export async function noteRead(db: Db, accountId: number, count: number, now: Date): Promise<void> {
  await db.query(
    `insert into renewal_notice_read (account_id, read_at, expired_count) values ($1, $2, $3)
     on conflict (account_id) do update set read_at = $2, expired_count = $3`,
    [accountId, now, count],
  );
}
