import type pg from 'pg';
import type { Clock } from '../../platform/clock.ts';
import { type AfterCommit, type Tx, transaction } from '../../platform/db/pool.ts';
import type { Logger } from '../../platform/log.ts';
import { type ChannelSlice, gather, type PendingMessage, type ReadingBatch } from './batch.ts';
import type { CalibrationBook } from './calibrated.ts';
import type { ClockChange, StoredReading } from './device-clocks.repo.ts';
import { type ClockCorrections, judgeClocks } from './device-clocks.ts';
import { deleteEstimated, type EstimatedColumns, insertEstimated } from './estimated-readings.repo.ts';
import { type PositionRow, storePositions } from './live-places.ts';
import { addDays, lockForeignLanes, shareMoreDays } from './locks.ts';
import type { AcceptedPosition, ButtonPress } from './normalise.ts';
import { createReadingQueue, type ReadingQueue } from './reading-queue.ts';
import { withoutSealed } from './sealed-readings.ts';
import { checkBindings } from './stale-bindings.ts';
import {
  deleteReadings,
  insertReadings,
  insertReadingsReturning,
  type LatestColumns,
  type ReadingColumns,
  readLatestTimes,
  upsertLatest,
} from './telemetry.repo.ts';

/** The changes of a batch, for evaluation inside the same transaction. */
export interface StoredBatch {
  /** The batch as corrected by certificates. */
  batch: ReadingBatch;
  /** Readings newer than all previous ones of their channel, to be evaluated in order. */
  fresh: ChannelSlice[];
  /**
   * Channels with new readings older than the previous newest, with the earliest and latest of these. Times
   * are in epoch ms.
   */
  late: { channelId: number; earliest: number; latest: number }[];
  /** Devices whose clock became wrong or right again. */
  clocks: readonly ClockChange[];
  /** Presses of buttons, also repeated ones. */
  presses: readonly ButtonPress[];
  receivedAt: number;
}

/** Evaluates the batch in `tx`; the returned function runs after the commit. */
export type OnBatch = (tx: Tx, stored: StoredBatch) => Promise<AfterCommit>;

/** Judges positions in the transaction that stored them, before the readings of the batch are evaluated. */
export type OnPositions = (tx: Tx, positions: readonly PositionRow[], receivedAt: number) => Promise<void>;

export interface WriterOptions {
  /** Connection pool of the writers, with timeouts for hanging sessions (platform/db/pool.ts). */
  pool: pg.Pool;
  clock: Clock;
  log: Logger;
  /** Number of concurrent writers, each on its own connection. */
  writers: number;
  maxQueuedReadings: number;
  calibrations: CalibrationBook;
  onBatch: OnBatch;
  onPositions: OnPositions;
  /** Called for each committed batch, for counters. */
  onCommitted(readings: number, messages: number, seconds: number): void;
}

export type ReadingWriter = ReadingQueue;

/**
 * Creates the writer that queues messages and commits them in groups; each is stored and evaluated in the
 * transaction that commits it.
 */
export function createReadingWriter(options: WriterOptions): ReadingWriter {
  const { pool, clock, calibrations, onBatch, onPositions } = options;

  async function store(
    tx: Tx,
    batch: ReadingBatch,
    messages: readonly PendingMessage[],
    { removed, changes }: ClockCorrections,
  ): Promise<AfterCommit> {
    if (removed.length > 0) await removeMisdated(tx, removed);
    const positions = positionRows(messages, ({ at }) => at);
    const receivedAt = messages.reduce((latest, message) => Math.max(latest, message.receivedAt), 0);
    if (positions.length > 0) {
      const estimated = hasWrongClock(messages)
        ? positionRows(messages, ({ estimatedAt }) => estimatedAt)
        : positions;
      await storePositions(tx, positions, estimated, receivedAt);
      await onPositions(tx, positions, receivedAt);
    }
    if (batch.count === 0 && removed.length + changes.length === 0) return () => undefined;

    // Values are stored as sent; they are evaluated and displayed as corrected.
    const measured = await calibrations.corrected(tx, batch);
    const latest = await readLatestTimes(
      tx,
      batch.slices.map((slice) => slice.channelId),
    );
    const fresh: ChannelSlice[] = [];
    const old: ChannelSlice[] = [];
    const newest: LatestColumns = { channelId: [], at: [], receivedAt: [], value: [] };
    for (const { channelId, from, to } of batch.slices) {
      const known = latest.get(channelId) ?? Number.NEGATIVE_INFINITY;
      let split = from;
      while (split < to && (batch.at[split] as number) <= known) split++;
      if (split > from) old.push({ channelId, from, to: split });
      if (split === to) continue;
      fresh.push({ channelId, from: split, to });
      newest.channelId.push(channelId);
      newest.at.push(batch.at[to - 1] as number);
      newest.receivedAt.push(receivedAt);
      newest.value.push(measured.value[to - 1] as number);
    }
    const inserted: { channelId: number; at: number }[] = removed.map(([channelId, , at]) => ({
      channelId,
      at,
    }));
    if (fresh.length > 0) {
      const { right, estimated } = parted(batch, fresh);
      if (right.at.length > 0) await insertReadings(tx, right);
      if (estimated) await insertEstimated(tx, estimated);
      await upsertLatest(tx, newest);
    }
    if (old.length > 0) {
      const { right, estimated } = parted(batch, old);
      const unsealed = right.at.length > 0 ? await withoutSealed(tx, right) : right;
      if (unsealed.at.length > 0) inserted.push(...(await insertReadingsReturning(tx, unsealed)));
      if (estimated) inserted.push(...(await insertEstimated(tx, estimated)));
    }
    const late = lateStretches(inserted);
    const presses = messages.flatMap(({ readings }) => readings.presses);
    return onBatch(tx, { batch: measured, fresh, late, clocks: changes, presses, receivedAt });
  }

  return createReadingQueue({
    ...options,
    writeBatch: (take) =>
      transaction(pool, async (tx) => {
        const taken = await take(tx);
        const corrections = await judgeClocks(tx, taken);
        const messages = corrections.messages.length > 0 ? [...taken, ...corrections.messages] : taken;
        await lockForeignLanes(
          tx,
          messages.flatMap(({ deviceId, readings }) =>
            [...readings.laneDeviceIds].filter((id) => id !== deviceId),
          ),
        );
        await checkBindings(tx, messages, clock.now());
        return store(tx, gather(messages), messages, corrections);
      }),
  });
}

function positionRows(
  messages: readonly PendingMessage[],
  timeOf: (position: AcceptedPosition) => number,
): PositionRow[] {
  return messages.flatMap(({ deviceId, readings }) =>
    readings.positions.map((position) => ({
      device_id: deviceId,
      at: timeOf(position),
      latitude: position.latitude,
      longitude: position.longitude,
      speed_kmh: position.speedKmh,
      heading_deg: position.headingDeg,
    })),
  );
}

const hasWrongClock = (messages: readonly PendingMessage[]): boolean =>
  messages.some(({ readings }) => readings.positions.some(({ at, estimatedAt }) => at !== estimatedAt));

/** Deletes readings that were stored with the times of a clock that turned out to be wrong. */
async function removeMisdated(tx: Tx, removed: readonly StoredReading[]): Promise<void> {
  const days = new Set<number>();
  addDays(
    days,
    removed.map(([, measuredAt]) => measuredAt),
  );
  await shareMoreDays(tx, days);
  const columns = {
    channelId: removed.map(([channelId]) => channelId),
    measuredAt: removed.map(([, measuredAt]) => measuredAt),
    at: removed.map(([, , at]) => at),
    delayS: removed.map(([, , , delayS]) => delayS),
  };
  await deleteReadings(tx, columns);
  await deleteEstimated(tx, columns);
}

/** Splits the rows of some slices into those of right clocks and those with estimated times, if any. */
function parted(
  batch: ReadingBatch,
  slices: readonly ChannelSlice[],
): { right: ReadingColumns; estimated: EstimatedColumns | null } {
  if (batch.measuredAt === batch.at) return { right: columnsOf(batch, slices), estimated: null };
  const right = { channelId: [], delayS: [], at: [], value: [] } as Record<keyof ReadingColumns, number[]>;
  const estimated = { channelId: [], delayS: [], at: [], value: [], measuredAt: [] } as Record<
    keyof EstimatedColumns,
    number[]
  >;
  for (const { channelId, from, to } of slices)
    for (let i = from; i < to; i++) {
      const columns = batch.measuredAt[i] === batch.at[i] ? right : estimated;
      columns.channelId.push(channelId);
      columns.delayS.push(batch.delayS[i] as number);
      columns.at.push(batch.at[i] as number);
      columns.value.push(batch.value[i] as number);
      if (columns === estimated) estimated.measuredAt.push(batch.measuredAt[i] as number);
    }
  return { right, estimated: estimated.at.length > 0 ? estimated : null };
}

/** Returns the rows of some slices; the batch's own columns if the slices cover all of it. */
function columnsOf(batch: ReadingBatch, slices: readonly ChannelSlice[]) {
  let size = 0;
  for (const slice of slices) size += slice.to - slice.from;
  if (size === batch.count && batch.count === batch.at.length) return batch;
  const columns = {
    channelId: new Int32Array(size),
    delayS: new Int32Array(size),
    at: new Float64Array(size),
    value: new Float64Array(size),
  };
  let row = 0;
  for (const { from, to } of slices) {
    columns.channelId.set(batch.channelId.subarray(from, to), row);
    columns.delayS.set(batch.delayS.subarray(from, to), row);
    columns.at.set(batch.at.subarray(from, to), row);
    columns.value.set(batch.value.subarray(from, to), row);
    row += to - from;
  }
  return columns;
}

function lateStretches(inserted: readonly { channelId: number; at: number }[]): StoredBatch['late'] {
  const stretches = new Map<number, { channelId: number; earliest: number; latest: number }>();
  for (const { channelId, at } of inserted) {
    const stretch = stretches.get(channelId);
    if (!stretch) stretches.set(channelId, { channelId, earliest: at, latest: at });
    else {
      stretch.earliest = Math.min(stretch.earliest, at);
      stretch.latest = Math.max(stretch.latest, at);
    }
  }
  return [...stretches.values()];
}
