import type { AlarmState } from '@isotherm/domain/alarms/alarm-machine';
import type { Checkpoint } from '@isotherm/domain/alarms/replay';
import { int4Array } from '../../platform/db/binary-array.ts';
import type { Db, Tx } from '../../platform/db/pool.ts';

/** A checkpoint of a channel; its days are counted since 1970. */
export interface ChannelCheckpoint extends Checkpoint {
  channelId: number;
}

/** Range of days of a channel, both ends included. */
export interface DayRange {
  channelId: number;
  fromDay: number;
  toDay: number;
}

const columnsOf = (ranges: readonly DayRange[]) => [
  int4Array(ranges.map((range) => range.channelId)),
  int4Array(ranges.map((range) => range.fromDay)),
  int4Array(ranges.map((range) => range.toDay)),
];

const RANGES = `unnest($1::int4[], $2::int4[], $3::int4[]) as r(channel, from_day, to_day)`;
const sinceEpoch = (day: string) => `(date '1970-01-01' + ${day})`;

/** Checkpoints that overlap a range of days, for each channel. */
export async function loadCheckpoints(
  tx: Tx,
  ranges: readonly DayRange[],
): Promise<Map<number, Checkpoint[]>> {
  const { rows } = await tx.query<{
    channel_id: number;
    day: number;
    until_day: number;
    state: [number, AlarmState][];
  }>({
    name: 'load-checkpoints',
    text: `select channel_id, day - date '1970-01-01' as day, until_day - date '1970-01-01' as until_day, state
             from ${RANGES}
             join alarm_checkpoint c on c.channel_id = channel and c.day <= ${sinceEpoch('to_day')}
              and c.until_day >= ${sinceEpoch('from_day')}`,
    values: columnsOf(ranges),
  });
  const found = new Map<number, Checkpoint[]>();
  for (const row of rows) {
    const own = found.get(row.channel_id) ?? [];
    own.push({ day: row.day, untilDay: row.until_day, states: new Map(row.state) });
    found.set(row.channel_id, own);
  }
  return found;
}

/**
 * Deletes the checkpoints after the first day of each range. A checkpoint that starts before and reaches
 * into the range is shortened to end on that first day.
 */
export async function clearCheckpoints(tx: Tx, ranges: readonly DayRange[]): Promise<void> {
  const values = columnsOf(ranges);
  await tx.query({
    name: 'clear-checkpoints',
    text: `delete from alarm_checkpoint c using ${RANGES}
            where c.channel_id = channel and c.day > ${sinceEpoch('from_day')} and c.day <= ${sinceEpoch('to_day')}`,
    values,
  });
  await tx.query({
    name: 'shorten-checkpoints',
    text: `update alarm_checkpoint c set until_day = ${sinceEpoch('from_day')} from ${RANGES}
            where c.channel_id = channel and c.day <= ${sinceEpoch('from_day')} and c.until_day > ${sinceEpoch('from_day')}
              and to_day >= from_day`,
    values,
  });
}

export async function saveCheckpoints(tx: Tx, checkpoints: readonly ChannelCheckpoint[]): Promise<void> {
  await tx.query(
    `insert into alarm_checkpoint (channel_id, day, until_day, state)
     select channel_id, ${sinceEpoch('day')}, ${sinceEpoch('until_day')}, state
       from jsonb_to_recordset($1::jsonb) as c(channel_id integer, day integer, until_day integer, state jsonb)
     on conflict (channel_id, day) do update set until_day = excluded.until_day, state = excluded.state`,
    [
      JSON.stringify(
        checkpoints.map(({ channelId, day, untilDay, states }) => ({
          channel_id: channelId,
          day,
          until_day: untilDay,
          state: [...states],
        })),
      ),
    ],
  );
}

/** Deletes checkpoints of days whose readings are past their retention time. */
export async function deleteCheckpointsBefore(db: Db, day: Date): Promise<void> {
  await db.query('delete from alarm_checkpoint where until_day < $1', [day]);
}
