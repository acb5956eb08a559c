import type { AcceptedReadings } from './normalise.ts';

/** One message on its way into the database. */
export interface PendingMessage {
  deviceId: number;
  receivedAt: number;
  readings: AcceptedReadings;
}

/** Readings of one channel within the columns of a batch: `from` included, `to` not. */
export interface ChannelSlice {
  channelId: number;
  from: number;
  to: number;
}

/**
 * Many messages as columns, sorted by channel and time, each (channel, time) once: the first one received
 * wins, since readings are append-only. Times in epoch ms.
 */
export interface ReadingBatch {
  channelId: Int32Array;
  at: Float64Array;
  value: Float64Array;
  delayS: Int32Array;
  slices: ChannelSlice[];
  count: number;
}

const MAX_INT4 = 2_147_483_647;

/** Gathers messages into one batch. */
export function gather(messages: readonly PendingMessage[]): ReadingBatch {
  let size = 0;
  const rowsOf = new Map<number, number[]>();
  for (const { readings } of messages) {
    const ids = readings.channelId;
    for (let i = 0; i < ids.length; i++, size++) {
      const rows = rowsOf.get(ids[i] as number);
      if (rows) rows.push(size);
      else rowsOf.set(ids[i] as number, [size]);
    }
  }
  const rawAt = new Float64Array(size);
  const rawValue = new Float64Array(size);
  const rawDelay = new Int32Array(size);
  let row = 0;
  for (const { readings, receivedAt } of messages) {
    for (let i = 0; i < readings.at.length; i++, row++) {
      const at = readings.at[i] as number;
      rawAt[row] = at;
      rawValue[row] = readings.value[i] as number;
      rawDelay[row] = Math.max(0, Math.min(MAX_INT4, Math.round((receivedAt - at) / 1000)));
    }
  }

  const batch: ReadingBatch = {
    channelId: new Int32Array(size),
    at: new Float64Array(size),
    value: new Float64Array(size),
    delayS: new Int32Array(size),
    slices: [],
    count: 0,
  };
  for (const channelId of [...rowsOf.keys()].sort((a, b) => a - b)) {
    const rows = rowsOf.get(channelId) as number[];
    sortByTime(rows, rawAt);
    const from = batch.count;
    for (const source of rows) {
      const at = rawAt[source] as number;
      if (batch.count > from && batch.at[batch.count - 1] === at) continue;
      batch.channelId[batch.count] = channelId;
      batch.at[batch.count] = at;
      batch.value[batch.count] = rawValue[source] as number;
      batch.delayS[batch.count] = rawDelay[source] as number;
      batch.count++;
    }
    batch.slices.push({ channelId, from, to: batch.count });
  }
  return batch;
}

/** Stable, so that the first received of two equal times stays first; usually there is nothing to do. */
function sortByTime(rows: number[], at: Float64Array): void {
  for (let i = 1; i < rows.length; i++) {
    if ((at[rows[i] as number] as number) < (at[rows[i - 1] as number] as number)) {
      rows.sort((a, b) => (at[a] as number) - (at[b] as number) || a - b);
      return;
    }
  }
}
