import type { InvoiceState } from '@isotherm/domain/billing/invoice';
import type { OrderState } from '@isotherm/domain/billing/order';
import type { Db, Tx } from '../../../platform/db/pool.ts';

export interface InvoiceRow {
  id: number;
  organizationName: string;
  organizationPath: string;
  amountMinor: number;
  currency: string;
  title: string;
  taxNumber: string;
  address: string;
  email: string;
  orders: string[];
  state: InvoiceState;
  requestedBy: string;
  requestedAt: Date;
  number: string | null;
  issuedOn: string | null;
  issuedBy: string | null;
  /** Why it was cancelled; null if it was not. */
  cancelReason: string | null;
}

const STATE = `case when i.cancelled_at is not null then 'cancelled' when i.number is null then 'requested' else 'issued' end`;
const COLUMNS = `i.id::float8 as id, o.name as "organizationName", o.path as "organizationPath",
       i.amount_minor::float8 as "amountMinor", i.currency, i.title, i.tax_number as "taxNumber", i.address, i.email,
       array(select r.number from invoice_order l join recharge_order r on r.id = l.order_id
              where l.invoice_id = i.id order by r.id) as orders,
       ${STATE} as state, i.requested_by as "requestedBy",
       i.requested_at as "requestedAt", i.number, to_char(i.issued_on, 'YYYY-MM-DD') as "issuedOn",
       i.issued_by as "issuedBy", i.cancel_reason as "cancelReason"`;
const FROM = 'from invoice i join organization o on o.id = i.organization_id';

export async function findInvoice(db: Db, scope: string, id: number): Promise<InvoiceRow | null> {
  const { rows } = await db.query<InvoiceRow>(
    `select ${COLUMNS} ${FROM} where i.id = $1 and o.path like $2 || '%'`,
    [id, scope],
  );
  return rows[0] ?? null;
}

export async function lockInvoice(tx: Tx, id: number): Promise<void> {
  await tx.query('select 1 from invoice where id = $1 for no key update', [id]);
}

export interface InvoiceFilter {
  scope: string;
  search: string;
  state: InvoiceState | null;
}

const SORTS = { requestedAt: 'i.requested_at', amount: 'i.amount_minor' };

export async function listInvoiceRows(
  db: Db,
  filter: InvoiceFilter,
  page: { sort: keyof typeof SORTS; order: 'asc' | 'desc'; limit: number; offset: number },
): Promise<{ rows: InvoiceRow[]; total: number }> {
  const where = `where o.path like $1 || '%'
    and ($3::text is null or ${STATE} = $3)
    and ($2 = '' or position(lower($2) in lower(o.name || ' ' || i.title || ' ' || i.tax_number || ' '
                                                || coalesce(i.number, ''))) > 0
         or exists (select from invoice_order l join recharge_order r on r.id = l.order_id
                     where l.invoice_id = i.id and lower(r.number) = lower($2)))`;
  const values = [filter.scope, filter.search, filter.state];
  const [found, count] = await Promise.all([
    db.query<InvoiceRow>(
      `select ${COLUMNS} ${FROM} ${where} order by ${SORTS[page.sort]} ${page.order}, i.id ${page.order}
        limit $4 offset $5`,
      [...values, page.limit, page.offset],
    ),
    db.query<{ total: number }>(`select count(*)::float8 as total ${FROM} ${where}`, values),
  ]);
  return { rows: found.rows, total: count.rows[0]?.total ?? 0 };
}

export type InvoicePayer = Pick<InvoiceRow, 'title' | 'taxNumber' | 'address' | 'email'>;

/** The payer of the last invoice that was requested for an organisation. */
export async function findLastPayer(db: Db, organizationId: number): Promise<InvoicePayer | null> {
  const { rows } = await db.query<InvoicePayer>(
    `select title, tax_number as "taxNumber", address, email from invoice
      where organization_id = $1 order by id desc limit 1`,
    [organizationId],
  );
  return rows[0] ?? null;
}

export interface OrderToInvoice {
  id: number;
  organizationId: number;
  state: OrderState;
  amountMinor: number;
  currency: string;
  hasInvoice: boolean;
}

/** Locks the orders of a scope, so that none gets two invoices. */
export async function lockOrders(tx: Tx, scope: string, ids: readonly number[]): Promise<OrderToInvoice[]> {
  await tx.query('select 1 from recharge_order where id = any($1::bigint[]) order by id for no key update', [
    ids,
  ]);
  const { rows } = await tx.query<OrderToInvoice>(
    `select r.id::float8 as id, r.organization_id::float8 as "organizationId", r.state,
            r.amount_minor::float8 as "amountMinor", r.currency,
            exists (select from invoice_order l where l.order_id = r.id and not l.cancelled) as "hasInvoice"
       from recharge_order r join organization o on o.id = r.organization_id
      where r.id = any($1::bigint[]) and o.path like $2 || '%' order by r.id`,
    [ids, scope],
  );
  return rows;
}

export async function insertInvoice(
  tx: Tx,
  orders: readonly OrderToInvoice[],
  payer: InvoicePayer,
  by: { name: string; at: Date },
): Promise<number> {
  const [first] = orders as [OrderToInvoice];
  const { rows } = await tx.query<{ id: number }>(
    `insert into invoice (organization_id, amount_minor, currency, title, tax_number, address, email, requested_by,
                          requested_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning id::float8 as id`,
    [
      first.organizationId,
      orders.reduce((sum, { amountMinor }) => sum + amountMinor, 0),
      first.currency,
      payer.title,
      payer.taxNumber,
      payer.address,
      payer.email,
      by.name,
      by.at,
    ],
  );
  const { id } = rows[0] as { id: number };
  await tx.query('insert into invoice_order (order_id, invoice_id) select unnest($1::bigint[]), $2', [
    orders.map((order) => order.id),
    id,
  ]);
  return id;
}

export async function markIssued(
  tx: Tx,
  id: number,
  { number, issuedOn }: { number: string; issuedOn: string },
  by: { name: string; at: Date },
): Promise<void> {
  await tx.query(
    'update invoice set number = $2, issued_on = $3, issued_by = $4, issued_at = $5 where id = $1',
    [id, number, issuedOn, by.name, by.at],
  );
}

/** Locks the orders of an invoice and returns the number of one that is not paid, or was refunded; null if all are paid. */
export async function lockUnpaidOrder(tx: Tx, id: number): Promise<string | null> {
  const { rows } = await tx.query<{ number: string; state: OrderState }>(
    `select r.number, r.state from recharge_order r
      where r.id in (select order_id from invoice_order where invoice_id = $1) order by r.id for no key update`,
    [id],
  );
  return rows.find(({ state }) => state !== 'success')?.number ?? null;
}

/** Cancels an invoice, so that its orders can get another one. */
export async function markCancelled(
  tx: Tx,
  id: number,
  reason: string,
  by: { name: string; at: Date },
): Promise<void> {
  await tx.query(
    'update invoice set cancel_reason = $2, cancelled_by = $3, cancelled_at = $4 where id = $1',
    [id, reason, by.name, by.at],
  );
  await tx.query('update invoice_order set cancelled = true where invoice_id = $1', [id]);
}
