import type { YearPrice } from '@isotherm/domain/billing/renewal';
import type { Db, Tx } from '../../../platform/db/pool.ts';

export interface PriceRow extends YearPrice {
  id: number;
}

const PRICE = `id::float8 as id, model, amount_minor::float8 as "amountMinor", currency`;

export async function listPriceRows(db: Db): Promise<PriceRow[]> {
  const { rows } = await db.query<PriceRow>(
    `select ${PRICE} from renewal_price where enabled order by currency, model, id`,
  );
  return rows;
}

export async function findPrice(db: Db, id: number): Promise<PriceRow | null> {
  const { rows } = await db.query<PriceRow>(`select ${PRICE} from renewal_price where id = $1 and enabled`, [
    id,
  ]);
  return rows[0] ?? null;
}

export async function insertPrice(
  tx: Tx,
  { model, amountMinor, currency }: YearPrice,
  by: { name: string; at: Date },
): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into renewal_price (model, amount_minor, currency, changed_by, changed_at)
     values ($1, $2, $3, $4, $5) returning id::float8 as id`,
    [model, amountMinor, currency, by.name, by.at],
  );
  return (rows[0] as { id: number }).id;
}

export async function withdrawPrice(tx: Tx, id: number, by: { name: string; at: Date }): Promise<void> {
  await tx.query('update renewal_price set enabled = false, changed_by = $2, changed_at = $3 where id = $1', [
    id,
    by.name,
    by.at,
  ]);
}

export interface ItemRow {
  deviceId: number;
  years: number;
  amountMinor: number;
  feeMinor: number;
}

export async function insertItems(tx: Tx, orderId: number, items: readonly ItemRow[]): Promise<void> {
  await tx.query(
    `insert into renewal_item (order_id, device_id, years, amount_minor, fee_minor)
     select $1, * from unnest($2::bigint[], $3::smallint[], $4::bigint[], $5::bigint[])`,
    [
      orderId,
      items.map(({ deviceId }) => deviceId),
      items.map(({ years }) => years),
      items.map(({ amountMinor }) => amountMinor),
      items.map(({ feeMinor }) => feeMinor),
    ],
  );
}

/** What a paid order renews. */
export async function listItems(tx: Tx, orderId: number): Promise<Pick<ItemRow, 'deviceId' | 'years'>[]> {
  const { rows } = await tx.query<Pick<ItemRow, 'deviceId' | 'years'>>(
    'select device_id::float8 as "deviceId", years from renewal_item where order_id = $1 order by device_id',
    [orderId],
  );
  return rows;
}

/**
 * Locks devices that are to be ordered, so that none gets two orders, and returns one that is in an order that can still be
 * paid, with the number of the order; null if there is none.
 */
export async function lockUnordered(
  tx: Tx,
  deviceIds: readonly number[],
): Promise<{ device: string; order: string } | null> {
  await tx.query('select 1 from device where id = any($1::bigint[]) order by id for no key update', [
    deviceIds,
  ]);
  const { rows } = await tx.query<{ device: string; order: string }>(
    `select d.number as device, r.number as "order"
       from renewal_item i
       join recharge_order r on r.id = i.order_id and r.state = 'waiting'
       join device d on d.id = i.device_id
      where i.device_id = any($1::bigint[]) order by d.number limit 1`,
    [deviceIds],
  );
  return rows[0] ?? null;
}
