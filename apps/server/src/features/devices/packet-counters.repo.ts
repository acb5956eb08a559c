import type { Db } from '../../platform/db/pool.ts';

export async function readPacketCounter(db: Db, deviceId: number): Promise<number> {
  const { rows } = await db.query<{ highest: number }>(
    'select highest::float8 as highest from packet_counter where device_id = $1',
    [deviceId],
  );
  return rows[0]?.highest ?? 0;
}

/** Never lowers a counter: another process may have seen a higher one. Devices that are gone are left out. */
export async function raisePacketCounters(
  db: Db,
  deviceIds: readonly number[],
  counters: readonly number[],
): Promise<void> {
  await db.query(
    `insert into packet_counter (device_id, highest)
     select c.device_id, c.highest
       from unnest($1::bigint[], $2::bigint[]) as c(device_id, highest)
       join device d on d.id = c.device_id
      order by 1
     on conflict (device_id) do update set highest = excluded.highest
      where excluded.highest > packet_counter.highest`,
    [deviceIds, counters],
  );
}
