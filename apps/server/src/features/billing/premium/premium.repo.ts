import type { PremiumRecord, PremiumService } from '@isotherm/domain/billing/premium';
import { containing } from '../../../platform/db/like.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';

export interface OrganizationRow {
  id: number;
  name: string;
  path: string;
}

/** Lists organisations of a scope by name. */
export async function listOrganizationRows(
  db: Db,
  scope: string,
  search: string,
  page: { order: 'asc' | 'desc'; limit: number; offset: number },
): Promise<{ rows: OrganizationRow[]; total: number }> {
  const where = `where path like $1 || '%' and ($2 = '' or lower(name || ' ' || code) like $2)`;
  const values = [scope, containing(search.toLowerCase())];
  const [found, count] = await Promise.all([
    db.query<OrganizationRow>(
      `select id::float8 as id, name, path from organization ${where}
        order by lower(name) ${page.order}, id limit $3 offset $4`,
      [...values, page.limit, page.offset],
    ),
    db.query<{ total: number }>(`select count(*)::float8 as total from organization ${where}`, values),
  ]);
  return { rows: found.rows, total: count.rows[0]?.total ?? 0 };
}

/** Returns an organisation of a scope, locked until the end of the transaction if asked. */
export async function findOrganizationRow(
  db: Db,
  scope: string,
  id: number,
  { lock = false } = {},
): Promise<OrganizationRow | null> {
  const { rows } = await db.query<OrganizationRow>(
    `select id::float8 as id, name, path from organization where id = $1 and path like $2 || '%'
     ${lock ? 'for no key update' : ''}`,
    [id, scope],
  );
  return rows[0] ?? null;
}

export interface PremiumRow extends PremiumRecord {
  /** The organisation whose service it is. */
  ownerId: number;
  ownerName: string;
  service: PremiumService;
}

const epoch = (column: string) => `(extract(epoch from p.${column}) * 1000)::float8`;

/** The services of organisations and of those above them, by organisation, the nearest first. */
export async function listPremiumRows(
  db: Db,
  organizationIds: readonly number[],
): Promise<Map<number, PremiumRow[]>> {
  const { rows } = await db.query<PremiumRow & { organizationId: number }>(
    `select o.id::float8 as "organizationId", above.id::float8 as "ownerId", above.name as "ownerName", p.service,
            ${epoch('trial_started_at')} as "trialStartedAt", ${epoch('activated_at')} as "activatedAt",
            ${epoch('active_until')} as "activeUntil", p.device_limit as "deviceLimit"
       from organization o
       join organization above on o.path like above.path || '%'
       join premium_service p on p.organization_id = above.id
      where o.id = any($1::bigint[])
      order by o.id, length(above.path) desc`,
    [organizationIds],
  );
  const byOrganization = new Map<number, PremiumRow[]>();
  for (const { organizationId, ...row } of rows) {
    const own = byOrganization.get(organizationId);
    if (own) own.push(row);
    else byOrganization.set(organizationId, [row]);
  }
  return byOrganization;
}

export async function savePremium(
  tx: Tx,
  organizationId: number,
  service: PremiumService,
  record: PremiumRecord,
  by: { name: string; at: Date },
): Promise<void> {
  await tx.query(
    `insert into premium_service (organization_id, service, trial_started_at, activated_at, active_until, device_limit,
                                  changed_by, changed_at)
     values ($1, $2, to_timestamp($3::float8 / 1000), to_timestamp($4::float8 / 1000), to_timestamp($5::float8 / 1000),
             $6, $7, $8)
     on conflict (organization_id, service) do update
       set trial_started_at = excluded.trial_started_at, activated_at = excluded.activated_at,
           active_until = excluded.active_until, device_limit = excluded.device_limit,
           changed_by = excluded.changed_by, changed_at = excluded.changed_at`,
    [
      organizationId,
      service,
      record.trialStartedAt,
      record.activatedAt,
      record.activeUntil,
      record.deviceLimit,
      by.name,
      by.at,
    ],
  );
}
