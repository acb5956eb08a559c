import type { ClockEvidence } from '@isotherm/domain/devices/device-clock';
import type { AcceptedReadings } from './normalise.ts';

/** A message that waits for its commit. */
export interface PendingMessage {
  deviceId: number;
  /** Version of the bindings with which its readings were assigned to channels. */
  bindingVersion: number;
  receivedAt: number;
  /**
   * Readings of the message, which are replaced in the transaction if the offset of the device's clock turns
   * out to be different.
   */
  readings: AcceptedReadings;
  /** Evidence about the device's clock; null while the clock is right, which is nearly always. */
  clock: MessageClock | null;
}

/** The clock data of a message from which the transaction derives how far the device's clock is off. */
export interface MessageClock extends Pick<ClockEvidence, 'leadMs' | 'isSendTime' | 'intervalMs'> {
  /** The offset with which `readings` were parsed. */
  offsetMs: number;
  /** Parses the message again with this offset. */
  read(offsetMs: number): AcceptedReadings;
}

/** Range of the readings of one channel in the columns of a batch: `from` is included, `to` is not. */
export interface ChannelSlice {
  channelId: number;
  from: number;
  to: number;
}

/**
 * Many messages as columns, sorted by channel and time, with each (channel, time) once: of duplicates the
 * first received is kept, since readings are append-only. Times are in epoch ms.
 */
export interface ReadingBatch {
  channelId: Int32Array;
  /** Time of measurement, estimated where a device's clock is wrong. */
  at: Float64Array;
  /** Time as sent by the device; the same array as `at` while all clocks are right. */
  measuredAt: Float64Array;
  value: Float64Array;
  delayS: Int32Array;
  slices: ChannelSlice[];
  count: number;
}

const MAX_INT4 = 2_147_483_647;

/** Delay between measurement and receipt, as stored. */
export const delaySeconds = (receivedAt: number, at: number): number =>
  Math.max(0, Math.min(MAX_INT4, Math.round((receivedAt - at) / 1000)));

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
  const isEstimated = messages.some(({ readings }) => readings.measuredAt !== readings.at);
  const rawMeasured = isEstimated ? new Float64Array(size) : rawAt;
  const rawValue = new Float64Array(size);
  const rawDelay = new Int32Array(size);
  let row = 0;
  for (const { readings, receivedAt } of messages) {
    for (let i = 0; i < readings.at.length; i++, row++) {
      const at = readings.at[i] as number;
      rawAt[row] = at;
      if (isEstimated) rawMeasured[row] = readings.measuredAt[i] as number;
      rawValue[row] = readings.value[i] as number;
      rawDelay[row] = delaySeconds(receivedAt, at);
    }
  }

  const sortedAt = new Float64Array(size);
  const batch: ReadingBatch = {
    channelId: new Int32Array(size),
    at: sortedAt,
    measuredAt: isEstimated ? new Float64Array(size) : sortedAt,
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
      if (isEstimated) batch.measuredAt[batch.count] = rawMeasured[source] as number;
      batch.value[batch.count] = rawValue[source] as number;
      batch.delayS[batch.count] = rawDelay[source] as number;
      batch.count++;
    }
    batch.slices.push({ channelId, from, to: batch.count });
  }
  return batch;
}

/**
 * The sort is stable, so that of two equal times the first received stays first; usually the rows are
 * already sorted.
 */
function sortByTime(rows: number[], at: Float64Array): void {
  for (let i = 1; i < rows.length; i++) {
    if ((at[rows[i] as number] as number) < (at[rows[i - 1] as number] as number)) {
      rows.sort((a, b) => (at[a] as number) - (at[b] as number) || a - b);
      return;
    }
  }
}
