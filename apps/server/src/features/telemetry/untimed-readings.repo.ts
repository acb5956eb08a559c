import type { Db } from '../../platform/db/pool.ts';
import type { UntimedReading } from './normalise.ts';

/** Keeps readings with impossible times for inspection; a resend changes nothing. */
export async function insertUntimed(
  db: Db,
  deviceId: number,
  readings: readonly UntimedReading[],
  receivedAt: number,
): Promise<void> {
  await db.query(
    `insert into untimed_reading (device_id, channel_key, measured_at, value, fault, received_at)
     select distinct on ("channelKey", "measuredAt") $1, "channelKey", to_timestamp("measuredAt" / 1000), value, fault, $3
       from jsonb_to_recordset($2::jsonb) as r("channelKey" text, "measuredAt" float8, value real, fault text)
     on conflict do nothing`,
    [deviceId, JSON.stringify(readings), new Date(receivedAt)],
  );
}

/**
 * Deletes readings received before this moment. Because their times are wrong, retention counts from the
 * time of receipt.
 */
export async function deleteUntimedBefore(db: Db, before: Date): Promise<void> {
  await db.query('delete from untimed_reading where received_at < $1', [before]);
}
