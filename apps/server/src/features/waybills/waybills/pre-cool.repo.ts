import type { PreCoolState } from '@isotherm/domain/waybills/pre-cool';
import type { Db, Tx } from '../../../platform/db/pool.ts';

export interface StoredPreCool {
  assetId: number;
  at: Date;
  state: PreCoolState;
  requiredMs: number;
  insideMs: number;
  reason: string;
  username: string;
  isAutomatic: boolean;
}

/** Stores what the check said at the departure. */
export async function insertPreCool(tx: Tx, waybillId: number, fields: StoredPreCool): Promise<void> {
  await tx.query(
    `insert into waybill_pre_cool (waybill_id, asset_id, at, state, required_ms, inside_ms, reason, username, is_automatic)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      waybillId,
      fields.assetId,
      fields.at,
      fields.state,
      fields.requiredMs,
      fields.insideMs,
      fields.reason,
      fields.username,
      fields.isAutomatic,
    ],
  );
}

/** Returns what the check said at the departure; null if none was required, or the waybill has not departed. */
export async function findPreCool(
  db: Db,
  waybillId: number,
): Promise<(StoredPreCool & { assetName: string }) | null> {
  const { rows } = await db.query<StoredPreCool & { assetName: string }>(
    `select p.asset_id as "assetId", a.name as "assetName", p.at, p.state, p.required_ms::float8 as "requiredMs",
            p.inside_ms::float8 as "insideMs", p.reason, p.username, p.is_automatic as "isAutomatic"
       from waybill_pre_cool p join asset a on a.id = p.asset_id where p.waybill_id = $1`,
    [waybillId],
  );
  return rows[0] ?? null;
}
