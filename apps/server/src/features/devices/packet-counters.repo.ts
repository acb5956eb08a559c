import type { Db } from '../../platform/db/pool.ts';

/** Returns the highest counter of this key; 0 if only another key of the device was used. */
export async function readPacketCounter(db: Db, deviceId: number, keyHash: Buffer): Promise<number> {
  // A row without a key was written by the previous release, and the key it belongs to is not known.
  const { rows } = await db.query<{ highest: number }>(
    `select highest::float8 as highest from packet_counter
      where device_id = $1 and (key_hash is null or key_hash = $2)`,
    [deviceId, keyHash],
  );
  return rows[0]?.highest ?? 0;
}

/**
 * Raises counters. The counter of a key is never lowered, because another process may have seen a higher
 * one. Replaced keys and deleted devices are skipped.
 */
export async function raisePacketCounters(
  db: Db,
  counters: readonly { deviceId: number; keyHash: Buffer; highest: number }[],
): Promise<void> {
  await db.query(
    `insert into packet_counter (device_id, key_hash, highest)
     select c.device_id, c.key_hash, c.highest
       from unnest($1::bigint[], $2::bytea[], $3::bigint[]) as c(device_id, key_hash, highest)
       join device d on d.id = c.device_id and d.key_hash = c.key_hash
      order by 1
     on conflict (device_id) do update set highest = excluded.highest, key_hash = excluded.key_hash
      where excluded.highest > packet_counter.highest or packet_counter.key_hash <> excluded.key_hash`,
    [
      counters.map(({ deviceId }) => deviceId),
      counters.map(({ keyHash }) => keyHash),
      counters.map(({ highest }) => highest),
    ],
  );
}
