import { AppError } from '@isotherm/contracts/errors';
import type pg from 'pg';
import type { Clock } from '../../platform/clock.ts';
import { isDatabaseAway, isDiskFull, type Tx, transaction } from '../../platform/db/pool.ts';
import type { Logger } from '../../platform/log.ts';
import { type ChannelSlice, gather, type PendingMessage, type ReadingBatch } from './batch.ts';
import type { CalibrationBook } from './calibrated.ts';
import { LANES, lockForWriting } from './locks.ts';
import { withoutSealed } from './sealed-readings.ts';
import {
  insertPositions,
  insertReadings,
  insertReadingsReturning,
  type LatestColumns,
  type ReadingColumns,
  readLatestTimes,
  upsertLatest,
} from './telemetry.repo.ts';

/** What a batch changed, for whoever judges it inside the same transaction. */
export interface StoredBatch {
  /** As certificates correct it. */
  batch: ReadingBatch;
  /** Readings newer than all that their channel had: to be judged in order. */
  fresh: ChannelSlice[];
  /** Channels into whose past new readings came: from the earliest to the latest of these. Epoch ms. */
  late: { channelId: number; earliest: number; latest: number }[];
  receivedAt: number;
}

/** Judges the batch in `tx`; what it returns is run after the commit. */
export type OnBatch = (tx: Tx, stored: StoredBatch) => Promise<AfterCommit>;
export type AfterCommit = () => void;

export interface WriterOptions {
  pool: pg.Pool;
  clock: Clock;
  log: Logger;
  /** Writers that run side by side; each has its own lanes and its own connection. */
  writers: number;
  maxQueuedReadings: number;
  calibrations: CalibrationBook;
  onBatch: OnBatch;
  /** Told of each committed batch, for counters. */
  onCommitted(readings: number, messages: number, seconds: number): void;
}

export interface Stall {
  since: number;
  reason: 'database-away' | 'disk-full';
}

export interface ReadingWriter {
  /** Resolves when the message is durable and judged. Throws `ingest.busy` when the queue is full. */
  write(message: PendingMessage): Promise<void>;
  /** Resolves when the queue has room again. */
  room(): Promise<void>;
  queuedReadings(): number;
  /** Why batches cannot be written, and since when (epoch ms); null while they can. */
  stall(): Stall | null;
  /** Writes what is queued, then refuses more. */
  stop(): Promise<void>;
}

const NO_ROWS: ReadingColumns = { channelId: [], delayS: [], at: [], value: [] };
const MAX_BATCH_READINGS = 8_000;
const MAX_RETRY_MS = 2_000;
const STALLED = {
  'database-away': 'database away',
  'disk-full': 'no space left on the disk of the database',
} as const;

interface Queued {
  message: PendingMessage;
  size: number;
  resolve: () => void;
  reject: (error: unknown) => void;
}

interface Lane {
  queue: Queued[];
  running: boolean;
}

export function createReadingWriter(options: WriterOptions): ReadingWriter {
  const { pool, clock, log, calibrations, onBatch } = options;
  const lanes: Lane[] = Array.from({ length: options.writers }, () => ({ queue: [], running: false }));
  let queued = 0;
  let stall: Stall | null = null;
  let stopping = false;
  const waitingForRoom: (() => void)[] = [];

  function take(lane: Lane): Queued[] {
    let readings = 0;
    let count = 0;
    while (count < lane.queue.length && (count === 0 || readings < MAX_BATCH_READINGS))
      readings += (lane.queue[count++] as Queued).size;
    return lane.queue.splice(0, count);
  }

  function settle(items: readonly Queued[], error?: unknown): void {
    for (const item of items) {
      queued -= item.size;
      if (error === undefined) item.resolve();
      else item.reject(error);
    }
    if (queued < options.maxQueuedReadings) for (const wake of waitingForRoom.splice(0)) wake();
  }

  /** Commits the items together; while the database is away it waits and tries again, and nothing is acknowledged. */
  async function commit(items: readonly Queued[]): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      const started = performance.now();
      try {
        const after = await writeBatch(items.map((item) => item.message));
        stall = null;
        let readings = 0;
        for (const item of items) readings += item.size;
        options.onCommitted(readings, items.length, (performance.now() - started) / 1000);
        settle(items);
        after();
        return;
      } catch (error) {
        if (isDatabaseAway(error)) {
          const reason = isDiskFull(error) ? 'disk-full' : 'database-away';
          if (stall?.reason !== reason)
            log.error({ error: (error as Error).message }, `${STALLED[reason]}, readings wait`);
          stall = { since: stall?.since ?? clock.now(), reason };
          if (stopping) return settle(items, new AppError('ingest.unavailable'));
          await new Promise((wake) => setTimeout(wake, Math.min(MAX_RETRY_MS, 50 * 2 ** attempt)));
          continue;
        }
        if (isTransient(error) && attempt < 5) continue;
        if (items.length > 1) {
          // One of them is poison: find it, so that the others are not harmed.
          const middle = items.length >> 1;
          await commit(items.slice(0, middle));
          return commit(items.slice(middle));
        }
        log.error({ err: error }, 'message could not be stored');
        return settle(items, isRefusal(error) ? new AppError('ingest.refused', {}, { cause: error }) : error);
      }
    }
  }

  async function writeBatch(messages: readonly PendingMessage[]): Promise<AfterCommit> {
    const batch = gather(messages);
    return transaction(pool, async (tx) => {
      await lockForWriting(
        tx,
        messages.map((message) => message.deviceId),
        batch.at.subarray(0, batch.count),
      );
      return store(tx, batch, messages);
    });
  }

  async function store(
    tx: Tx,
    batch: ReadingBatch,
    messages: readonly PendingMessage[],
  ): Promise<AfterCommit> {
    const positions = messages.flatMap(({ deviceId, readings }) =>
      readings.positions.map((p) => ({
        device_id: deviceId,
        at: p.at,
        latitude: p.latitude,
        longitude: p.longitude,
        speed_kmh: p.speedKmh,
      })),
    );
    if (positions.length > 0) await insertPositions(tx, positions);
    const receivedAt = messages.reduce((latest, message) => Math.max(latest, message.receivedAt), 0);
    if (batch.count === 0) return () => undefined;

    // What the sensor said is stored; what it measured is judged, and shown.
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
    if (fresh.length > 0) {
      await insertReadings(tx, columnsOf(batch, fresh));
      await upsertLatest(tx, newest);
    }
    const unsealed = old.length > 0 ? await withoutSealed(tx, columnsOf(batch, old)) : NO_ROWS;
    const late = unsealed.at.length > 0 ? lateStretches(await insertReadingsReturning(tx, unsealed)) : [];
    return onBatch(tx, { batch: measured, fresh, late, receivedAt });
  }

  async function run(lane: Lane): Promise<void> {
    if (lane.running) return;
    lane.running = true;
    // Messages that arrive in the same turn of the event loop share the transaction.
    await new Promise((next) => setImmediate(next));
    while (lane.queue.length > 0) await commit(take(lane));
    lane.running = false;
  }

  return {
    write(message) {
      if (stopping) return Promise.reject(new AppError('ingest.unavailable'));
      if (queued >= options.maxQueuedReadings) return Promise.reject(new AppError('ingest.busy'));
      const size = Math.max(1, message.readings.at.length + message.readings.positions.length);
      queued += size;
      const lane = lanes[(message.deviceId % LANES) % lanes.length] as Lane;
      return new Promise((resolve, reject) => {
        lane.queue.push({ message, size, resolve, reject });
        if (!lane.running) void run(lane);
      });
    },
    room() {
      if (queued < options.maxQueuedReadings) return Promise.resolve();
      return new Promise((wake) => waitingForRoom.push(wake));
    },
    queuedReadings: () => queued,
    stall: () => stall,
    async stop() {
      stopping = true;
      while (lanes.some((lane) => lane.running)) await new Promise((next) => setTimeout(next, 5));
    },
  };
}

/** Data that the database does not take, now or ever (SQLSTATE classes 22 and 23): sending it again is vain. */
function isRefusal(error: unknown): boolean {
  return /^2[23]/.test((error as { code?: string }).code ?? '');
}

/** Deadlock and serialisation failures: the same batch may be tried again at once. */
function isTransient(error: unknown): boolean {
  return /^40/.test((error as { code?: string }).code ?? '');
}

/** The rows of some slices; the batch's own columns when they are all of it. */
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
