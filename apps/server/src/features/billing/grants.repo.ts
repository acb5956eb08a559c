import type { Commodity } from '@isotherm/domain/billing/ledger';
import type { Db, Tx } from '../../platform/db/pool.ts';

export interface GrantRow {
  id: number;
  organizationId: number;
  organizationName: string;
  organizationPath: string;
  commodity: Commodity;
  units: number;
  reason: string;
  state: 'pending' | 'approved' | 'rejected';
  createdBy: string;
  createdAt: Date;
  decidedBy: string | null;
  decidedAt: Date | null;
}

const COLUMNS = `g.id::float8 as id, g.organization_id::float8 as "organizationId", o.name as "organizationName",
       o.path as "organizationPath", g.commodity, g.units::float8 as units, g.reason, g.state, g.created_by as "createdBy",
       g.created_at as "createdAt", g.decided_by as "decidedBy", g.decided_at as "decidedAt"`;
const FROM = 'from recharge_grant g join organization o on o.id = g.organization_id';

export async function findGrant(db: Db, scope: string, id: number): Promise<GrantRow | null> {
  const { rows } = await db.query<GrantRow>(
    `select ${COLUMNS} ${FROM} where g.id = $1 and o.path like $2 || '%'`,
    [id, scope],
  );
  return rows[0] ?? null;
}

export async function lockGrant(tx: Tx, id: number): Promise<void> {
  await tx.query('select from recharge_grant where id = $1 for update', [id]);
}

export async function insertGrant(
  tx: Tx,
  grant: Pick<GrantRow, 'organizationId' | 'commodity' | 'units' | 'reason' | 'createdBy' | 'createdAt'>,
): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into recharge_grant (organization_id, commodity, units, reason, created_by, created_at)
     values ($1, $2, $3, $4, $5, $6) returning id::float8 as id`,
    [grant.organizationId, grant.commodity, grant.units, grant.reason, grant.createdBy, grant.createdAt],
  );
  return (rows[0] as { id: number }).id;
}

export async function decideGrantRow(
  tx: Tx,
  id: number,
  decision: { state: 'approved' | 'rejected'; by: string; at: Date },
): Promise<void> {
  await tx.query('update recharge_grant set state = $2, decided_by = $3, decided_at = $4 where id = $1', [
    id,
    decision.state,
    decision.by,
    decision.at,
  ]);
}

export async function listGrantRows(
  db: Db,
  filter: { scope: string; search: string; state: GrantRow['state'] | null },
  page: { order: 'asc' | 'desc'; limit: number; offset: number },
): Promise<{ rows: GrantRow[]; total: number }> {
  const where = `where o.path like $1 || '%' and ($3::text is null or g.state = $3)
    and ($2 = '' or position(lower($2) in lower(o.name || ' ' || g.reason || ' ' || g.created_by)) > 0)`;
  const values = [filter.scope, filter.search, filter.state];
  const [found, count] = await Promise.all([
    db.query<GrantRow>(
      `select ${COLUMNS} ${FROM} ${where} order by g.created_at ${page.order}, g.id ${page.order} limit $4 offset $5`,
      [...values, page.limit, page.offset],
    ),
    db.query<{ total: number }>(`select count(*)::float8 as total ${FROM} ${where}`, values),
  ]);
  return { rows: found.rows, total: count.rows[0]?.total ?? 0 };
}
