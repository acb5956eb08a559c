import type { Commodity } from '@isotherm/domain/billing/ledger';
import type { RefundState } from '@isotherm/domain/billing/refund';
import type { Db, Tx } from '../../platform/db/pool.ts';

export interface RefundRow {
  id: number;
  number: string;
  orderId: number;
  orderNumber: string;
  organizationId: number;
  organizationName: string;
  organizationPath: string;
  commodity: Commodity;
  units: number;
  amountMinor: number;
  currency: string;
  provider: string;
  /** What the provider calls the payment attempt and the payment. */
  reference: string;
  payment: string;
  reason: string;
  state: RefundState;
  detail: string;
  attempts: number;
  createdBy: string;
  createdAt: Date;
  decidedBy: string | null;
  decidedAt: Date | null;
  settledAt: Date | null;
}

const COLUMNS = `f.id::float8 as id, f.number, f.order_id::float8 as "orderId", r.number as "orderNumber",
  r.organization_id::float8 as "organizationId", o.name as "organizationName", o.path as "organizationPath", r.commodity,
  r.units::float8 as units, r.amount_minor::float8 as "amountMinor", r.currency, r.provider, r.reference,
  coalesce(r.payment, '') as payment, f.reason, f.state, f.detail, f.attempts, f.created_by as "createdBy",
  f.created_at as "createdAt", f.decided_by as "decidedBy", f.decided_at as "decidedAt", f.settled_at as "settledAt"`;
const FROM = `from recharge_refund f join recharge_order r on r.id = f.order_id
  join organization o on o.id = r.organization_id`;

export async function findRefund(db: Db, scope: string, id: number): Promise<RefundRow | null> {
  const { rows } = await db.query<RefundRow>(
    `select ${COLUMNS} ${FROM} where f.id = $1 and o.path like $2 || '%'`,
    [id, scope],
  );
  return rows[0] ?? null;
}

export async function lockRefund(tx: Tx, id: number): Promise<void> {
  await tx.query('select from recharge_refund where id = $1 for no key update', [id]);
}

/** True if a locked order is on an issued invoice; a statement of its own, since one that waits for the lock sees the past. */
export async function isInvoiced(tx: Tx, orderId: number): Promise<boolean> {
  const { rowCount } = await tx.query(
    `select from invoice_order l join invoice i on i.id = l.invoice_id
      where l.order_id = $1 and not l.cancelled and i.number is not null`,
    [orderId],
  );
  return (rowCount ?? 0) > 0;
}

export async function insertRefund(
  tx: Tx,
  refund: Pick<RefundRow, 'orderId' | 'number' | 'reason' | 'createdBy' | 'createdAt'>,
): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into recharge_refund (order_id, number, reason, created_by, created_at)
     values ($1, $2, $3, $4, $5) returning id::float8 as id`,
    [refund.orderId, refund.number, refund.reason, refund.createdBy, refund.createdAt],
  );
  return (rows[0] as { id: number }).id;
}

export async function decideRefundRow(
  tx: Tx,
  id: number,
  decision: { state: RefundState; by: string; at: Date; dueAt: Date | null },
): Promise<void> {
  await tx.query(
    'update recharge_refund set state = $2, decided_by = $3, decided_at = $4, due_at = $5 where id = $1',
    [id, decision.state, decision.by, decision.at, decision.dueAt],
  );
}

/** Stores what the provider said; the refund stays due at the time that its claim has set. */
export async function noteDetail(db: Db, id: number, detail: string): Promise<void> {
  await db.query(`update recharge_refund set detail = $2 where id = $1 and state = 'approved'`, [id, detail]);
}

export async function settleRefundRow(
  tx: Tx,
  id: number,
  { state, detail, at }: { state: RefundState; detail: string; at: Date },
): Promise<void> {
  await tx.query(
    'update recharge_refund set state = $2, detail = $3, settled_at = $4, due_at = null where id = $1',
    [id, state, detail, at],
  );
}

/**
 * Claims approved refunds whose provider is to be asked, and sets when it is asked again if the process ends before it knows
 * the outcome: after a minute at first, later less often. `only` limits it to one refund.
 */
export async function claimRefunds(
  db: Db,
  now: Date,
  most: number,
  only: number | null,
): Promise<RefundRow[]> {
  const { rows } = await db.query<RefundRow>(
    `with due as (
       select id from recharge_refund where state = 'approved' and due_at <= $1 and ($3::bigint is null or id = $3)
        order by due_at limit $2 for no key update skip locked
     ), f as (
       update recharge_refund u set attempts = attempts + 1,
              due_at = $1::timestamptz + least(attempts + 1, 60) * interval '1 minute'
         from due where u.id = due.id returning u.*
     )
     select ${COLUMNS} from f join recharge_order r on r.id = f.order_id join organization o on o.id = r.organization_id`,
    [now, most, only],
  );
  return rows;
}

export async function listRefundRows(
  db: Db,
  filter: { scope: string; search: string; state: RefundState | null },
  page: { order: 'asc' | 'desc'; limit: number; offset: number },
): Promise<{ rows: RefundRow[]; total: number }> {
  const where = `where o.path like $1 || '%' and ($3::text is null or f.state = $3)
    and ($2 = '' or position(lower($2) in lower(o.name || ' ' || r.number || ' ' || f.reason || ' ' || f.created_by)) > 0)`;
  const values = [filter.scope, filter.search, filter.state];
  const [found, count] = await Promise.all([
    db.query<RefundRow>(
      `select ${COLUMNS} ${FROM} ${where} order by f.created_at ${page.order}, f.id ${page.order} limit $4 offset $5`,
      [...values, page.limit, page.offset],
    ),
    db.query<{ total: number }>(`select count(*)::float8 as total ${FROM} ${where}`, values),
  ]);
  return { rows: found.rows, total: count.rows[0]?.total ?? 0 };
}
