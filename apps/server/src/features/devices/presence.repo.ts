import type { Db } from '../../platform/db/pool.ts';

/** Writes times of presence. Deleted devices are skipped; a later time from another process is kept. */
export async function writePresence(
  db: Db,
  deviceIds: readonly number[],
  at: readonly Date[],
): Promise<void> {
  await db.query({
    name: 'write-presence',
    text: `insert into device_presence (device_id, last_seen_at)
           select h.device_id, h.at from unnest($1::bigint[], $2::timestamptz[]) as h(device_id, at)
             join device d on d.id = h.device_id
           on conflict (device_id) do update set last_seen_at = excluded.last_seen_at
            where device_presence.last_seen_at < excluded.last_seen_at`,
    values: [deviceIds, at],
  });
}
