import type { Db, Tx } from '../../../platform/db/pool.ts';
import { bindingMoment, endBindings, startBindings } from './bindings.repo.ts';

export interface DeletionOutlook {
  channels: number;
  rules: number;
  openAlarms: number;
  openCommands: number;
  behind: number;
}

export async function outlookOf(db: Db, ids: readonly number[]): Promise<DeletionOutlook> {
  const { rows } = await db.query<DeletionOutlook>(
    `with own as (select id from channel where device_id = any($1) and retired_at is null)
     select (select count(*) from own) as channels,
            (select count(*) from alarm_rule where channel_id in (select id from own) and enabled) as rules,
            (select count(*) from alarm where channel_id in (select id from own) and ended_at is null) as "openAlarms",
            (select count(*) from device_command where device_id = any($1)
                and state in ('reserved', 'requesting', 'configuring')) as "openCommands",
            (select count(*) from device where gateway_id = any($1) and deleted_at is null) as behind`,
    [ids],
  );
  return rows[0] as DeletionOutlook;
}

/** Sets the time of deletion; null restores the devices. */
export async function setDeleted(
  tx: Tx,
  ids: readonly number[],
  deleted: { at: Date; by: string } | null,
): Promise<void> {
  await tx.query(
    `update device set deleted_at = $2, deleted_by = $3, version = version + 1 where id = any($1)`,
    [ids, deleted?.at ?? null, deleted?.by ?? ''],
  );
}

/** Cancels waiting commands of these devices. */
export async function cancelOpenCommands(tx: Tx, deviceIds: readonly number[], now: Date): Promise<void> {
  await tx.query(
    `update device_command set state = 'failed', failure = 'cancelled', since = $2
      where device_id = any($1) and state in ('reserved', 'requesting', 'configuring')`,
    [deviceIds, now],
  );
}

export async function channelsOf(db: Db, deviceIds: readonly number[]): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>(
    'select id from channel where device_id = any($1) and retired_at is null',
    [deviceIds],
  );
  return rows.map(({ id }) => id);
}

/**
 * Permanently removes devices that were deleted before a moment, at most `limit` of them. Their secrets and
 * attributes are erased, their numbers can be used again, and the readings stay with channels that have no
 * device. Returns how many were removed.
 */
export async function removeDeleted(tx: Tx, before: Date, now: Date, limit: number): Promise<number> {
  await startBindings(tx);
  const { rows } = await tx.query<{ id: number }>(
    `update device set removed_at = $2, key_hash = '', token_hash = null, packet_secret = null
      where id in (select id from device where deleted_at < $1 and removed_at is null order by deleted_at limit $3)
     returning id`,
    [before, now, limit],
  );
  const removed = rows.map(({ id }) => id);
  await tx.query('delete from device_attribute where device_id = any($1)', [removed]);
  await endBindings(tx, removed, await bindingMoment(tx, removed, now.getTime()));
  return removed.length;
}
