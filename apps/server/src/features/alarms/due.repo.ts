import type { AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import type { AlarmSubject } from '@isotherm/domain/alarms/catalogue';
import { SILENCE_KINDS } from '@isotherm/domain/alarms/catalogue';
import { int4Array } from '../../platform/db/binary-array.ts';
import type { Tx } from '../../platform/db/pool.ts';

/**
 * A no-data rule that is due for a check. Times in ms of the receiving clock (it counts only while the
 * server can receive), except `seenAt`.
 */
export interface DueRule {
  ruleId: number;
  channelId: number;
  afterMs: number;
  ofDevice: boolean;
  countedFrom: number;
  lookedAt: number;
  /**
   * The newest reading found by the last check: `seenAt` is when it was received (epoch ms), `seenMs` the
   * same moment on the receiving clock.
   */
  seenAt: number | null;
  seenMs: number | null;
}

const COLUMNS = `rule_id as "ruleId", channel_id as "channelId", after_ms as "afterMs", of_device as "ofDevice",
  counted_from_ms as "countedFrom", looked_ms as "lookedAt",
  (extract(epoch from heard_at) * 1000)::float8 as "seenAt", heard_ms as "seenMs"`;

/**
 * Returns the rules that are due at `now`, the longest overdue first, and locks them. Rules that another
 * process has locked are skipped.
 */
export async function claimDue(tx: Tx, now: number, limit: number): Promise<DueRule[]> {
  const { rows } = await tx.query<DueRule>({
    name: 'due-rules',
    text: `select ${COLUMNS} from alarm_due where due_ms <= $1 order by due_ms, rule_id limit $2
              for update skip locked`,
    values: [now, limit],
  });
  return rows;
}

/**
 * Returns and locks those of the given rules that are still due. The caller holds the advisory locks of their
 * devices.
 */
export async function holdDue(tx: Tx, ruleIds: readonly number[], now: number): Promise<DueRule[]> {
  const { rows } = await tx.query<DueRule>(
    `select ${COLUMNS} from alarm_due where rule_id = any($1::bigint[]) and due_ms <= $2 order by rule_id for update`,
    [ruleIds, now],
  );
  return rows;
}

export interface HeardChannel {
  channelId: number;
  deviceId: number;
  intervalMs: number;
  /** False if its sensor is disabled, or its device is deleted or expired. */
  isWatched: boolean;
  /** When its newest reading was received, epoch ms; null if it has none. */
  receivedAt: number | null;
  measuredAt: number | null;
}

/** All channels of the devices to which these channels belong, as of `now`. */
export async function loadHeardChannels(
  tx: Tx,
  channelIds: readonly number[],
  now: Date,
): Promise<HeardChannel[]> {
  const { rows } = await tx.query<HeardChannel>({
    name: 'heard-channels',
    text: `select c.id as "channelId", c.device_id as "deviceId", d.acquisition_interval_ms as "intervalMs",
                  n.disabled_at is null and d.deleted_at is null
                  and coalesce(d.expires_at, 'infinity') > $2 as "isWatched",
                  (extract(epoch from l.received_at) * 1000)::float8 as "receivedAt",
                  (extract(epoch from l.measured_at) * 1000)::float8 as "measuredAt"
             from channel c
             join sensor n on n.id = c.sensor_id
             join device d on d.id = c.device_id
             left join channel_latest l on l.channel_id = c.id
            where c.retired_at is null
              and c.device_id in (select device_id from channel where id = any($1::int4[]))
            order by c.id`,
    values: [int4Array(channelIds), now],
  });
  return rows;
}

/** Result of the check of a no-data rule. */
export interface Look {
  rule_id: number;
  due_ms: number;
  looked_ms: number;
  /**
   * When the newest reading was received, in epoch ms and in ms of the receiving clock; null if the channel
   * has never reported.
   */
  heard_at: number | null;
  heard_ms: number | null;
}

export async function saveLooks(tx: Tx, looks: readonly Look[]): Promise<void> {
  await tx.query(
    `update alarm_due d
        set due_ms = l.due_ms, looked_ms = l.looked_ms, heard_at = to_timestamp(l.heard_at / 1000), heard_ms = l.heard_ms
       from jsonb_to_recordset($1::jsonb) as l(rule_id bigint, due_ms float8, looked_ms float8, heard_at float8,
            heard_ms float8)
      where d.rule_id = l.rule_id`,
    [JSON.stringify(looks)],
  );
}

/** Lets the next scan check the no-data rules of these channels. */
export async function checkSilencesNow(tx: Tx, channelIds: readonly number[]): Promise<void> {
  await tx.query('update alarm_due set due_ms = 0 where channel_id = any($1::int4[])', [channelIds]);
}

/**
 * Restarts the time without data of these channels, so that each has its full allowed time again. The caller
 * holds the advisory locks of their devices.
 */
export async function restartSilences(tx: Tx, channelIds: readonly number[]): Promise<void> {
  await tx.query(
    `update alarm_due d set counted_from_ms = c.elapsed_ms, due_ms = c.elapsed_ms + d.after_ms
       from receiving_clock c where d.channel_id = any($1)`,
    [channelIds],
  );
}

export interface OpenSilence {
  id: number;
  channelId: number;
  subject: AlarmSubject;
  level: AlarmLevel;
}

/** Open no-data alarms of these channels, including those about their devices. */
export async function loadOpenSilences(tx: Tx, channelIds: readonly number[]): Promise<OpenSilence[]> {
  const { rows } = await tx.query<OpenSilence>({
    name: 'open-silences',
    text: `select id, channel_id as "channelId", subject, level from alarm
            where channel_id = any($1::int4[]) and kind = any($2) and ended_at is null`,
    values: [int4Array(channelIds), SILENCE_KINDS],
  });
  return rows;
}
