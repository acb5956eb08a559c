import type { Db } from '../../platform/db/pool.ts';

export interface RejectedRow {
  received_at: string;
  organization_id: number;
  gateway: string;
  format: string;
  device_number: string;
  address: string;
  code: string;
  detail: unknown;
  payload_hex: string;
  payload_bytes: number;
}

export async function insertRejected(db: Db, rows: readonly RejectedRow[]): Promise<void> {
  await db.query(
    `insert into rejected_message (received_at, organization_id, gateway, format, device_number, address, code,
                                   detail, payload, payload_bytes)
     select received_at, organization_id, gateway, format, device_number, address, code, detail,
            decode(payload_hex, 'hex'), payload_bytes
       from jsonb_to_recordset($1::jsonb) as r(received_at timestamptz, organization_id bigint, gateway text,
            format text, device_number text, address text, code text, detail jsonb, payload_hex text,
            payload_bytes integer)`,
    [JSON.stringify(rows)],
  );
}
