import { containing } from '../../platform/db/like.ts';
import type { Db } from '../../platform/db/pool.ts';

/** SQL for accounts that can sign in; `c` is the account. */
const ACTIVE = 'c.disabled_at is null and not c.pending';

/**
 * SQL for whether an announcement `a` is for an account `c` of organisation `oc`. Accounts that were created after it was
 * published can read it, but are not counted.
 */
export const ADDRESSED = `${ACTIVE} and c.created_at <= a.published_at
  and exists (select from announcement_target t join organization ot on ot.id = t.organization_id
               where t.announcement_id = a.id and oc.path like ot.path || '%')
  and (a.role_ids is null
       or exists (select from account_role ar where ar.account_id = c.id and ar.role_id = any (a.role_ids)))`;

/** Counts the active users of organisations, each with those below it, who have one of the roles; null means any. */
export const USERS = (organizationIds: string, roleIds: string) =>
  `(select count(*)::int from account c join organization oc on oc.id = c.organization_id
     where ${ACTIVE}
       and exists (select from organization ot where ot.id = any (${organizationIds}) and oc.path like ot.path || '%')
       and (cardinality(${roleIds}) = 0
            or exists (select from account_role ar where ar.account_id = c.id and ar.role_id = any (${roleIds}))))`;

export interface ReaderRow {
  id: number;
  username: string;
  realname: string;
  organizationName: string;
  readAt: Date | null;
}

const RECIPIENTS = `from announcement a cross join account c join organization oc on oc.id = c.organization_id
  left join announcement_receipt r on r.announcement_id = a.id and r.account_id = c.id
  where a.id = $1 and a.state in ('published', 'recalled') and ${ADDRESSED}`;

/** Lists the users whom an announcement is for: those who have read it first, the latest first. */
export async function listReaderRows(
  db: Db,
  id: number,
  filter: { search: string; read?: 'yes' | 'no' | undefined },
  page: { limit: number; offset: number },
): Promise<{ rows: ReaderRow[]; total: number; recipients: number; readers: number }> {
  const where = `${RECIPIENTS} and ($2 = '' or c.search_text like $2)
    and ($3::text is null or (r.first_read_at is not null) = ($3 = 'yes'))`;
  const values = [id, containing(filter.search.trim().toLowerCase()), filter.read ?? null];
  const [found, count, all] = await Promise.all([
    db.query<ReaderRow>(
      `select c.id, c.username, c.realname, oc.name as "organizationName", r.first_read_at as "readAt" ${where}
        order by r.first_read_at desc nulls last, lower(c.realname), c.id limit $4 offset $5`,
      [...values, page.limit, page.offset],
    ),
    db.query<{ count: number }>(`select count(*)::int as count ${where}`, values),
    db.query<{ recipients: number; readers: number }>(
      `select count(*)::int as recipients, count(r.first_read_at)::int as readers ${RECIPIENTS}`,
      [id],
    ),
  ]);
  return {
    rows: found.rows,
    total: count.rows[0]?.count ?? 0,
    recipients: all.rows[0]?.recipients ?? 0,
    readers: all.rows[0]?.readers ?? 0,
  };
}

/** Returns the roles that have a permission. */
export async function listRolesWith(db: Db, permission: string): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>(
    'select role_id::float8 as id from role_permission where permission = $1 order by role_id',
    [permission],
  );
  return rows.map(({ id }) => id);
}
