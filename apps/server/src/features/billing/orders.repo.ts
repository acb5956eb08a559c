import type { InvoiceState } from '@isotherm/domain/billing/invoice';
import type { Commodity } from '@isotherm/domain/billing/ledger';
import type { OrderFault, OrderState } from '@isotherm/domain/billing/order';
import type { OrderGoods } from '@isotherm/domain/billing/renewal';
import type { Db, Tx } from '../../platform/db/pool.ts';

export interface OrderRow {
  id: number;
  number: string;
  organizationId: number;
  organizationName: string;
  organizationPath: string;
  commodity: OrderGoods;
  units: number;
  amountMinor: number;
  currency: string;
  provider: string;
  providerTitle: string;
  code: string;
  /** What the provider calls the payment attempt. */
  reference: string;
  state: OrderState;
  fault: OrderFault | null;
  createdBy: string;
  createdAt: Date;
  expiresAt: Date;
  settledAt: Date | null;
  /** State of its invoice; null if none was requested. */
  invoice: InvoiceState | null;
}

const COLUMNS = `r.id::float8 as id, r.number, r.organization_id::float8 as "organizationId", o.name as "organizationName",
       o.path as "organizationPath", r.commodity, r.units::float8 as units, r.amount_minor::float8 as "amountMinor",
       r.currency, r.provider, coalesce(p.name, '') as "providerTitle", r.code, r.reference, r.state, r.fault, r.created_by as "createdBy", r.created_at as "createdAt",
       r.expires_at as "expiresAt", r.settled_at as "settledAt",
       (select case when i.number is null then 'requested' else 'issued' end
          from invoice_order l join invoice i on i.id = l.invoice_id
         where l.order_id = r.id and not l.cancelled) as invoice`;
const FROM = `from recharge_order r join organization o on o.id = r.organization_id
  left join payment_provider p on r.provider = p.kind || '-' || p.id`;

export async function insertOrder(
  tx: Tx,
  order: Pick<
    OrderRow,
    | 'number'
    | 'organizationId'
    | 'commodity'
    | 'units'
    | 'amountMinor'
    | 'currency'
    | 'provider'
    | 'createdBy'
    | 'createdAt'
    | 'expiresAt'
  >,
): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into recharge_order (number, organization_id, commodity, units, amount_minor, currency, provider, code,
                                 created_by, created_at, expires_at, ask_at)
     values ($1, $2, $3, $4, $5, $6, $7, '', $8, $9, $10, $10) returning id::float8 as id`,
    [
      order.number,
      order.organizationId,
      order.commodity,
      order.units,
      order.amountMinor,
      order.currency,
      order.provider,
      order.createdBy,
      order.createdAt,
      order.expiresAt,
    ],
  );
  return (rows[0] as { id: number }).id;
}

export async function findOrder(db: Db, scope: string, id: number): Promise<OrderRow | null> {
  const { rows } = await db.query<OrderRow>(
    `select ${COLUMNS} ${FROM} where r.id = $1 and o.path like $2 || '%'`,
    [id, scope],
  );
  return rows[0] ?? null;
}

/** Locks the order that a provider knows by this number. */
export async function lockOrder(tx: Tx, provider: string, number: string): Promise<OrderRow | null> {
  const { rows } = await tx.query<OrderRow>(
    `select ${COLUMNS} ${FROM} where r.number = $1 and r.provider = $2 for update of r`,
    [number, provider],
  );
  return rows[0] ?? null;
}

export async function updateOrder(
  tx: Tx,
  id: number,
  change: { state: OrderState; payment?: string | undefined; settledAt: Date | null; isPaid?: boolean },
): Promise<void> {
  // A payment of the right amount settles an earlier one of a wrong amount.
  await tx.query(
    `update recharge_order
        set state = $2, payment = coalesce($3, payment), settled_at = $4, fault = case when not $5 then fault end
      where id = $1`,
    [id, change.state, change.payment ?? null, change.settledAt, change.isPaid ?? false],
  );
}

/** Stores the code that the provider has created. */
export async function storeCode(
  db: Db,
  id: number,
  { code, reference }: Pick<OrderRow, 'code' | 'reference'>,
): Promise<void> {
  await db.query('update recharge_order set code = $2, reference = $3 where id = $1', [id, code, reference]);
}

export async function noteFault(tx: Tx, id: number, fault: OrderFault): Promise<void> {
  await tx.query('update recharge_order set fault = $2 where id = $1', [id, fault]);
}

/** Sets when the provider of an order is asked next; null if it is not asked any more. */
export async function scheduleAsk(tx: Tx, id: number, at: Date | null): Promise<void> {
  await tx.query('update recharge_order set ask_at = $2, asks = 0 where id = $1', [id, at]);
}

/**
 * Claims unpaid orders whose provider is to be asked, and sets when it is asked again unless the answer makes that needless:
 * after a minute at first, later at most hourly.
 */
export async function claimAsks(
  db: Db,
  now: Date,
  most: number,
): Promise<Pick<OrderRow, 'number' | 'provider' | 'reference' | 'expiresAt' | 'state'>[]> {
  const { rows } = await db.query<
    Pick<OrderRow, 'number' | 'provider' | 'reference' | 'expiresAt' | 'state'>
  >(
    `with due as (
       select id from recharge_order where ask_at <= $1 order by ask_at limit $2 for no key update skip locked
     )
     update recharge_order r
        set asks = asks + 1,
            ask_at = $1::timestamptz + least(power(2, least(asks, 6)), 60) * interval '1 minute'
       from due where r.id = due.id
     returning r.number, r.provider, r.reference, r.expires_at as "expiresAt", r.state`,
    [now, most],
  );
  return rows;
}

export interface OrderFilter {
  scope: string;
  search: string;
  commodity: OrderGoods | null;
  state: OrderState | null;
}

const SORTS = { createdAt: 'r.created_at', amount: 'r.amount_minor' };

export async function listOrderRows(
  db: Db,
  filter: OrderFilter,
  page: { sort: keyof typeof SORTS; order: 'asc' | 'desc'; limit: number; offset: number },
): Promise<{ rows: OrderRow[]; total: number }> {
  const where = `where o.path like $1 || '%' and ($3::text is null or r.commodity = $3) and ($4::text is null or r.state = $4)
    and ($2 = '' or position(lower($2) in lower(r.number || ' ' || o.name || ' ' || r.created_by)) > 0)`;
  const values = [filter.scope, filter.search, filter.commodity, filter.state];
  const [found, count] = await Promise.all([
    db.query<OrderRow>(
      `select ${COLUMNS} ${FROM} ${where} order by ${SORTS[page.sort]} ${page.order}, r.id ${page.order} limit $5 offset $6`,
      [...values, page.limit, page.offset],
    ),
    db.query<{ total: number }>(`select count(*)::float8 as total ${FROM} ${where}`, values),
  ]);
  return { rows: found.rows, total: count.rows[0]?.total ?? 0 };
}

export interface PackageRow {
  id: number;
  commodity: Commodity;
  units: number;
  amountMinor: number;
  currency: string;
}

const PACKAGE = `id::float8 as id, commodity, units::float8 as units, amount_minor::float8 as "amountMinor", currency`;

export async function listPackageRows(db: Db, commodity: Commodity | null): Promise<PackageRow[]> {
  const { rows } = await db.query<PackageRow>(
    `select ${PACKAGE} from recharge_package where enabled and ($1::text is null or commodity = $1)
      order by commodity, currency, units`,
    [commodity],
  );
  return rows;
}

export async function findPackage(db: Db, id: number): Promise<PackageRow | null> {
  const { rows } = await db.query<PackageRow>(
    `select ${PACKAGE} from recharge_package where id = $1 and enabled`,
    [id],
  );
  return rows[0] ?? null;
}

export async function insertPackage(
  tx: Tx,
  { commodity, units, amountMinor, currency }: Omit<PackageRow, 'id'>,
  by: { name: string; at: Date },
): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into recharge_package (commodity, units, amount_minor, currency, changed_by, changed_at)
     values ($1, $2, $3, $4, $5, $6) returning id::float8 as id`,
    [commodity, units, amountMinor, currency, by.name, by.at],
  );
  return (rows[0] as { id: number }).id;
}

export async function withdrawPackage(tx: Tx, id: number, by: { name: string; at: Date }): Promise<void> {
  await tx.query(
    'update recharge_package set enabled = false, changed_by = $2, changed_at = $3 where id = $1',
    [id, by.name, by.at],
  );
}
