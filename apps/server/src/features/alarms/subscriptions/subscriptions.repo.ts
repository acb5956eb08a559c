import type { Db, Tx } from '../../../platform/db/pool.ts';

/** A device whose data services are to be stopped or resumed. Times in epoch ms. */
export interface DueService {
  deviceId: number;
  /** Infinite for a device without expiry. */
  expiresAt: number;
  /** Readings measured from here on are to be evaluated after a renewal; null if there are none. */
  unevaluatedFrom: number | null;
  /** True if the alarms of the device were ended because of its expiry. */
  isStopped: boolean;
}

/**
 * SQL for what is due at $1: an expiry, a renewal, or (because the clock was put back) services that were stopped long
 * before the expiry. Clocks of processes may differ by less than that, and must not stop and resume in turns. Devices that
 * failed wait.
 */
const DUE = `(s.due_at <= $1::timestamptz or s.stopped_at > $1::timestamptz + interval '1 hour')
  and coalesce(s.retry_at <= $1::timestamptz, true)`;

/** Returns some devices that are due: those that are renewed first, then the longest overdue. */
export async function listDueServices(
  db: Db,
  now: Date,
  limit: number,
): Promise<{ id: number; isResumed: boolean }[]> {
  const { rows } = await db.query<{ id: number; isResumed: boolean }>({
    name: 'due-services',
    text: `select s.device_id::float8 as id, s.unevaluated_from is not null or s.stopped_at is not null as "isResumed"
             from device_service s where ${DUE} order by s.due_at, s.device_id limit $2`,
    values: [now, limit],
  });
  return rows;
}

/**
 * Locks those of these devices that are still due. The caller holds their lanes; rows that another process has locked are
 * skipped, because a person who renews a device may wait for the lanes.
 */
export async function claimDueServices(
  tx: Tx,
  deviceIds: readonly number[],
  now: Date,
): Promise<DueService[]> {
  const { rows } = await tx.query<DueService>(
    `select s.device_id::float8 as "deviceId",
            (extract(epoch from coalesce(d.expires_at, 'infinity')) * 1000)::float8 as "expiresAt",
            (extract(epoch from s.unevaluated_from) * 1000)::float8 as "unevaluatedFrom",
            s.stopped_at is not null as "isStopped"
       from device_service s join device d on d.id = s.device_id
      where s.device_id = any($2::bigint[]) and ${DUE}
      order by s.device_id for no key update of s skip locked`,
    [now, deviceIds],
  );
  return rows;
}

/** Notes that nothing more is to be done for these devices until they expire. */
export async function settleServices(
  tx: Tx,
  rows: readonly { device_id: number; due: number | null; stopped: number | null }[],
): Promise<void> {
  await tx.query(
    `update device_service s
        set due_at = to_timestamp(r.due / 1000), unevaluated_from = null, stopped_at = to_timestamp(r.stopped / 1000),
            failures = 0, retry_at = null
       from jsonb_to_recordset($1::jsonb) as r(device_id bigint, due float8, stopped float8)
      where s.device_id = r.device_id`,
    [JSON.stringify(rows)],
  );
}

/** Has a device that failed wait: a minute at first, at most an hour. */
export async function postponeService(db: Db, deviceId: number, now: Date): Promise<void> {
  await db.query(
    `update device_service
        set failures = failures + 1,
            retry_at = $2::timestamptz + least(power(2, least(failures, 6)), 60) * interval '1 minute'
      where device_id = $1`,
    [deviceId, now],
  );
}

export interface ServedChannel {
  channelId: number;
  deviceId: number;
  assetId: number | null;
  /** Time of the newest reading, epoch ms; null if there is none. */
  newestAt: number | null;
}

/** The channels of these devices. */
export async function listServedChannels(tx: Tx, deviceIds: readonly number[]): Promise<ServedChannel[]> {
  const { rows } = await tx.query<ServedChannel>(
    `select c.id as "channelId", c.device_id::float8 as "deviceId", c.asset_id::float8 as "assetId",
            (extract(epoch from l.measured_at) * 1000)::float8 as "newestAt"
       from channel c left join channel_latest l on l.channel_id = c.id
      where c.device_id = any($1::bigint[]) and c.retired_at is null order by c.id`,
    [deviceIds],
  );
  return rows;
}

/** The clocks of these devices that are wrong at present. */
export async function listWrongClocks(
  tx: Tx,
  deviceIds: readonly number[],
): Promise<{ deviceId: number; at: number; offsetMs: number }[]> {
  const { rows } = await tx.query<{ deviceId: number; at: number; offsetMs: number }>(
    `select device_id::float8 as "deviceId", (extract(epoch from valid_from) * 1000)::float8 as at,
            offset_ms::float8 as "offsetMs"
       from device_clock where device_id = any($1::bigint[]) and valid_until = 'infinity' and valid_from > '-infinity'`,
    [deviceIds],
  );
  return rows;
}
