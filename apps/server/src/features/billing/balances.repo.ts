import type { Commodity, EntryKind } from '@isotherm/domain/billing/ledger';
import type { Db, Tx } from '../../platform/db/pool.ts';
import type { CauseKind } from './ledger.repo.ts';

/**
 * SQL for the payer of an organisation `o`, as payerOf in domain/billing/ledger.ts: the nearest at or above it that
 * settles independently, otherwise its company.
 */
const PAYER = `coalesce(
    (select s.organization_id from billing_settlement s join organization p on p.id = s.organization_id
      where o.path like p.path || '%' and p.parent_id is not null order by length(p.path) desc limit 1),
    nullif(split_part(o.path, '/', 3), '')::bigint,
    o.id)`;

export interface BalanceRow {
  commodity: Commodity;
  available: number;
  reserved: number;
  overdraft: number;
  used: number;
}

/** Balances of a payer, with the units that left them since a moment for messages. */
export async function findBalances(db: Db, payerId: number, since: Date): Promise<BalanceRow[]> {
  const { rows } = await db.query<BalanceRow>(
    `select a.commodity, a.balance::float8 as available, a.overdraft::float8 as overdraft,
            coalesce(r.balance, 0)::float8 as reserved,
            coalesce((select sum(e.amount) from ledger_entry e
                       where e.from_id = r.id and e.kind = 'capture' and e.at >= $2), 0)::float8 as used
       from billing_account a
       left join billing_account r on r.organization_id = a.organization_id and r.commodity = a.commodity and r.role = 'reserved'
      where a.organization_id = $1 and a.role = 'available'`,
    [payerId, since],
  );
  return rows;
}

/** How much the available balance of a payer changed on each UTC day since a moment. */
export async function findDailyChanges(
  db: Db,
  payerId: number,
  since: Date,
): Promise<{ commodity: Commodity; day: string; change: number }[]> {
  const { rows } = await db.query<{ commodity: Commodity; day: string; change: number }>(
    `select a.commodity, to_char(m.at at time zone 'UTC', 'YYYY-MM-DD') as day, sum(m.delta)::float8 as change
       from billing_account a
       join lateral (select e.at, -e.amount as delta from ledger_entry e where e.from_id = a.id and e.at >= $2
                     union all select e.at, e.amount from ledger_entry e where e.to_id = a.id and e.at >= $2) m on true
      where a.organization_id = $1 and a.role = 'available' group by 1, 2`,
    [payerId, since],
  );
  return rows;
}

export interface OrganizationBalanceRow {
  organizationId: number;
  organizationName: string;
  payerId: number;
  payerName: string;
  independent: boolean;
  sms: number;
  voice: number;
  wechat: number;
  overdraft: number;
}

const SORTS = { name: 'lower(o.name)', sms: 'sms', voice: 'voice', wechat: 'wechat' };

export async function listBalanceRows(
  db: Db,
  filter: { scope: string; search: string },
  page: { sort: keyof typeof SORTS; order: 'asc' | 'desc'; limit: number; offset: number },
): Promise<{ rows: OrganizationBalanceRow[]; total: number }> {
  const where = `where o.path like $1 || '%' and ($2 = '' or position(lower($2) in lower(o.name || ' ' || o.code)) > 0)`;
  const of = (commodity: Commodity) =>
    `coalesce((select a.balance from billing_account a
                where a.organization_id = p.id and a.commodity = '${commodity}' and a.role = 'available'), 0)::float8 as ${commodity}`;
  const [found, count] = await Promise.all([
    db.query<OrganizationBalanceRow>(
      `select o.id::float8 as "organizationId", o.name as "organizationName", p.id::float8 as "payerId", p.name as "payerName",
              exists (select from billing_settlement s where s.organization_id = o.id) as independent,
              ${of('sms')}, ${of('voice')}, ${of('wechat')},
              coalesce((select max(a.overdraft) from billing_account a where a.organization_id = p.id), 0)::float8 as overdraft
         from organization o join lateral (select ${PAYER} as id) pay on true join organization p on p.id = pay.id
         ${where} order by ${SORTS[page.sort]} ${page.order}, o.id limit $3 offset $4`,
      [filter.scope, filter.search, page.limit, page.offset],
    ),
    db.query<{ total: number }>(`select count(*)::float8 as total from organization o ${where}`, [
      filter.scope,
      filter.search,
    ]),
  ]);
  return { rows: found.rows, total: count.rows[0]?.total ?? 0 };
}

export async function isIndependent(db: Db, organizationId: number): Promise<boolean> {
  const { rows } = await db.query('select from billing_settlement where organization_id = $1', [
    organizationId,
  ]);
  return rows.length > 0;
}

export async function insertSettlement(tx: Tx, organizationId: number, by: string, at: Date): Promise<void> {
  await tx.query(
    `insert into billing_settlement (organization_id, changed_by, changed_at) values ($1, $2, $3)
     on conflict (organization_id) do nothing`,
    [organizationId, by, at],
  );
}

export async function deleteSettlement(tx: Tx, organizationId: number): Promise<void> {
  await tx.query('delete from billing_settlement where organization_id = $1', [organizationId]);
}

/** True if units of the organisation itself are available or reserved. */
export async function hasUnits(tx: Tx, organizationId: number): Promise<boolean> {
  const { rows } = await tx.query(
    'select from billing_account where organization_id = $1 and balance <> 0 limit 1',
    [organizationId],
  );
  return rows.length > 0;
}

export async function updateOverdraft(tx: Tx, organizationId: number, units: number): Promise<void> {
  await tx.query(
    `update billing_account set overdraft = greatest($2, -balance) where organization_id = $1 and role = 'available'`,
    [organizationId, units],
  );
}

export async function findOverdraft(db: Db, organizationId: number): Promise<number> {
  const { rows } = await db.query<{ overdraft: number }>(
    'select coalesce(max(overdraft), 0)::float8 as overdraft from billing_account where organization_id = $1',
    [organizationId],
  );
  return rows[0]?.overdraft ?? 0;
}

export interface LedgerRow {
  id: number;
  kind: EntryKind;
  commodity: Commodity;
  change: number;
  balance: number;
  organizationName: string;
  causeKind: CauseKind;
  causeId: number;
  createdBy: string;
  at: Date;
}

/** Entries that changed the available balance of a payer, newest first, with the balance after each. */
export async function listLedgerRows(
  db: Db,
  payerId: number,
  commodity: Commodity,
  page: { limit: number; offset: number },
): Promise<{ rows: LedgerRow[]; total: number }> {
  const moves = `from ledger_entry e join billing_account a on a.id in (e.from_id, e.to_id)
    where a.organization_id = $1 and a.commodity = $2 and a.role = 'available'`;
  const [found, count] = await Promise.all([
    db.query<LedgerRow>(
      `with moved as (
         select e.id, e.kind, a.commodity, case when e.to_id = a.id then e.amount else -e.amount end as change,
                a.balance - coalesce(sum(case when e.to_id = a.id then e.amount else -e.amount end)
                  over (order by e.id desc rows between unbounded preceding and 1 preceding), 0) as balance,
                e.organization_id, e.cause_kind, e.cause_id, e.created_by, e.at
           ${moves} order by e.id desc limit $3 offset $4
       )
       select m.id::float8 as id, m.kind, m.commodity, m.change::float8 as change, m.balance::float8 as balance,
              coalesce(o.name, '') as "organizationName", m.cause_kind as "causeKind", m.cause_id::float8 as "causeId",
              m.created_by as "createdBy", m.at
         from moved m left join organization o on o.id = m.organization_id order by m.id desc`,
      [payerId, commodity, page.limit, page.offset],
    ),
    db.query<{ total: number }>(`select count(*)::float8 as total ${moves}`, [payerId, commodity]),
  ]);
  return { rows: found.rows, total: count.rows[0]?.total ?? 0 };
}
