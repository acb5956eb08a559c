import { LIMIT_KINDS, SILENCE_KINDS } from '@isotherm/domain/alarms/catalogue';
import type { Db, Tx } from '../../platform/db/pool.ts';

export interface TimedOutChannel {
  channelId: number;
  deviceId: number;
  /** Time of the newest reading, epoch ms. */
  lastAt: number;
}

/**
 * Channels with an open limit alarm that have received and measured nothing since `before`, while their asset has an open
 * no-data alarm. If ids are given, only those channels.
 */
export async function listTimedOut(
  db: Db,
  before: Date,
  ids: readonly number[] | null,
  limit: number,
): Promise<TimedOutChannel[]> {
  const { rows } = await db.query<TimedOutChannel>(
    `select distinct a.channel_id as "channelId", c.device_id::float8 as "deviceId",
            (extract(epoch from l.measured_at) * 1000)::float8 as "lastAt"
       from alarm a
       join channel c on c.id = a.channel_id
       join channel_latest l on l.channel_id = a.channel_id
      where a.ended_at is null and a.kind = any($2) and l.received_at < $1 and l.measured_at < $1
        and ($3::int4[] is null or a.channel_id = any($3))
        and exists (select from alarm s
                     where s.asset_id = a.asset_id and s.ended_at is null and s.kind = any($4))
      order by a.channel_id limit $5`,
    [before, LIMIT_KINDS, ids, SILENCE_KINDS, limit],
  );
  return rows;
}

/** Records that the alarms of these channels timed out. */
export async function insertTimeouts(tx: Tx, channelIds: readonly number[], at: Date): Promise<void> {
  await tx.query(
    `insert into alarm_timeout (channel_id, at) select unnest($1::int4[]), $2 on conflict do nothing`,
    [channelIds, at],
  );
}

/** Deletes the states of the limit rules of these channels; the states of no-data alarms are kept. */
export async function forgetLimitStates(tx: Tx, channelIds: readonly number[]): Promise<void> {
  await tx.query(
    `delete from alarm_state s using alarm_rule r
      where r.id = s.rule_id and r.kind = any($2) and s.channel_id = any($1::int4[])`,
    [channelIds, LIMIT_KINDS],
  );
}
