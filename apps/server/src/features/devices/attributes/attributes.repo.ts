import type { Db, Tx } from '../../../platform/db/pool.ts';

/**
 * Returns the attributes document of a device as JSON text values by name; locked until the end of the
 * transaction on request.
 */
export async function findClientAttributes(
  db: Db,
  deviceId: number,
  options: { lock?: boolean } = {},
): Promise<Map<string, string>> {
  const { rows } = await db.query<{ attributes: string }>({
    name: options.lock ? 'hold-attributes' : 'find-attributes',
    text: `select attributes::text as attributes from device_attribute where device_id = $1 ${options.lock ? 'for update' : ''}`,
    values: [deviceId],
  });
  const document = JSON.parse(rows[0]?.attributes ?? '{}') as Record<string, unknown>;
  return new Map(Object.entries(document).map(([key, value]) => [key, JSON.stringify(value)]));
}

/** Creates an empty document, so that it can be locked. */
export async function beginClientAttributes(tx: Tx, deviceId: number, now: Date): Promise<void> {
  await tx.query(
    `insert into device_attribute (device_id, attributes, changed_at) values ($1, '{}', $2)
     on conflict (device_id) do nothing`,
    [deviceId, now],
  );
}

export async function writeClientAttributes(
  tx: Tx,
  deviceId: number,
  attributes: ReadonlyMap<string, string>,
  now: Date,
): Promise<void> {
  const document = [...attributes].map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(',');
  await tx.query('update device_attribute set attributes = $2, changed_at = $3 where device_id = $1', [
    deviceId,
    `{${document}}`,
    now,
  ]);
}

export async function findIntervals(
  db: Db,
  deviceId: number,
): Promise<{ acquisitionMs: number; uploadMs: number } | null> {
  const { rows } = await db.query<{ acquisitionMs: number; uploadMs: number }>({
    name: 'find-intervals',
    text: `select acquisition_interval_ms as "acquisitionMs", upload_interval_ms as "uploadMs"
             from device where id = $1 and deleted_at is null`,
    values: [deviceId],
  });
  return rows[0] ?? null;
}
