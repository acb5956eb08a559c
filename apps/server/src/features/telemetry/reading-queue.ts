import { AppError } from '@isotherm/contracts/errors';
import type { Clock } from '../../platform/clock.ts';
import { type AfterCommit, isDatabaseAway, isDiskFull, type Tx } from '../../platform/db/pool.ts';
import type { Logger } from '../../platform/log.ts';
import type { PendingMessage } from './batch.ts';
import { addDays, claimLanes, LANES, laneOf, lockForWriting } from './locks.ts';
import { StaleBindings } from './stale-bindings.ts';

/**
 * Locks the lanes of messages in the transaction and returns the messages to write; none if nothing can be
 * written now.
 */
export type TakeMessages = (tx: Tx) => Promise<readonly PendingMessage[]>;

export interface QueueOptions {
  clock: Clock;
  log: Logger;
  /** Number of concurrent transactions. */
  writers: number;
  maxQueuedReadings: number;
  /**
   * Writes the messages that `take` returns in one transaction; the returned function runs after the commit.
   */
  writeBatch(take: TakeMessages): Promise<AfterCommit>;
  /** Called for each committed batch, for counters. */
  onCommitted(readings: number, messages: number, seconds: number): void;
  /** Returns monotonic milliseconds, to measure waiting times. */
  elapsed?: () => number;
}

export interface Stall {
  /** Time in epoch ms. */
  since: number;
  reason: 'database-away' | 'disk-full' | 'not-committing';
}

export interface ReadingQueue {
  /**
   * Queues a message; resolves when it is durable and evaluated. Throws `StaleBindings` if it must be parsed
   * again, `ingest.busy` if the queue is full, `ingest.refused` if the database rejects its data,
   * `ingest.unavailable` if it could not be committed for another reason.
   */
  write(message: PendingMessage): Promise<void>;
  /** Resolves when the queue has room again. */
  room(): Promise<void>;
  queuedReadings(): number;
  /** Returns how long the oldest message has waited for its commit; 0 if none is waiting. */
  oldestMs(): number;
  /** Returns why messages cannot be committed, and since when; null while they can. */
  stall(): Stall | null;
  /** Writes what is queued, then accepts nothing more. */
  stop(): Promise<void>;
}

const MAX_BATCH_READINGS = 8_000;
/**
 * Maximum number of lanes of a transaction. It takes fewer while other processes hold more than half of the lanes that it wanted,
 * so that they can work in parallel. A few that are held, as by a compilation of policies, make no difference.
 */
const MAX_LANES = LANES / 2;
const MIN_LANES = 8;
/**
 * If other processes held a lane at every attempt, the writer waits for the lane once its oldest message has
 * waited this long.
 */
const WAIT_FOR_LANE_AFTER_MS = 100;
/** After this time without a commit, the process is reported as not ready. */
const STALLED_AFTER_MS = 10_000;
const FIRST_RETRY_MS = 50;
const MAX_RETRY_MS = 2_000;
/**
 * Number of retries after an error that is caused neither by a message nor by an outage, such as a deadlock
 * or a timeout.
 */
const RETRIES = 5;
/** Number of retries before the batch is split, in case one of its messages is the cause. */
const RETRIES_OF_BATCH = 2;
const LOGGED = {
  'database-away': 'database away',
  'disk-full': 'no space left on the disk of the database',
} as const;

interface Queued {
  message: PendingMessage;
  size: number;
  /** Start time as returned by `elapsed`. */
  since: number;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/** Adds the days of the readings and positions of a message. */
function addMessageDays(days: Set<number>, { readings }: PendingMessage): void {
  addDays(days, readings.measuredAt);
  addDays(
    days,
    readings.positions.map(({ at }) => at),
  );
}

/** The first messages in the lanes that a transaction tries to write. */
interface Candidates {
  lanes: Map<number, Queued[]>;
  days: Set<number>;
  /** The lane to wait for; null to take only free lanes. */
  waitFor: number | null;
}

/**
 * Creates the queue in front of the database: group commit without a timer. Messages wait in lanes
 * (locks.ts) in order of arrival. A writer claims lanes that no other transaction in the cluster holds, and
 * commits the messages that were collected in them during the last transactions.
 */
export function createReadingQueue(options: QueueOptions): ReadingQueue {
  const { clock, log, elapsed = () => performance.now() } = options;
  /**
   * Waiting messages by lane; lanes whose messages have waited longest come first. A lane without messages
   * is absent.
   */
  const waiting = new Map<number, Queued[]>();
  /** Lanes that a writer of this process is writing, so that messages of a device are committed in order. */
  const busy = new Set<number>();
  /** Batches taken from the queue, with the time at which their oldest message began to wait. */
  const underWay = new Set<{ since: number }>();
  const waitingForRoom: (() => void)[] = [];
  const waitingForEnd: (() => void)[] = [];
  let writersRunning = 0;
  let queued = 0;
  let share = MAX_LANES;
  let outage: Stall | null = null;
  let stopping = false;

  function settle(items: readonly Queued[], error?: unknown): void {
    for (const item of items) {
      queued -= item.size;
      if (error === undefined) item.resolve();
      else item.reject(error);
    }
    if (queued < options.maxQueuedReadings) for (const wake of waitingForRoom.splice(0)) wake();
  }

  function choose(): Candidates | null {
    const lanes = new Map<number, Queued[]>();
    const days = new Set<number>();
    let readings = 0;
    let waitFor: number | null = null;
    for (const [lane, queue] of waiting) {
      if (lanes.size >= share || readings >= MAX_BATCH_READINGS) break;
      if (busy.has(lane)) continue;
      let count = 0;
      while (count < queue.length && (count === 0 || readings < MAX_BATCH_READINGS)) {
        const { message, size } = queue[count++] as Queued;
        readings += size;
        addMessageDays(days, message);
      }
      if (lanes.size === 0 && elapsed() - (queue[0] as Queued).since > WAIT_FOR_LANE_AFTER_MS) waitFor = lane;
      lanes.set(lane, queue.slice(0, count));
    }
    return lanes.size === 0 ? null : { lanes, days, waitFor };
  }

  /**
   * Claims lanes in the transaction, and takes their messages from the queue; lanes that could not be
   * claimed are removed from `held`.
   */
  async function claim(tx: Tx, candidates: Candidates, held: Set<number>): Promise<Queued[]> {
    const { lanes, days, waitFor } = candidates;
    const wanted = [...lanes.keys()];
    let claimed = await claimLanes(tx, wanted, days, waitFor);
    const isCrowded = claimed.size * 2 < wanted.length;
    share = isCrowded ? Math.max(MIN_LANES, share >> 1) : Math.min(MAX_LANES, share * 2);
    // Other transactions hold all of the lanes, so this transaction waits for one of them.
    if (claimed.size === 0) claimed = await claimLanes(tx, wanted, days, wanted[0] as number);
    const items: Queued[] = [];
    for (const [lane, first] of lanes) {
      if (!claimed.has(lane)) {
        busy.delete(lane);
        held.delete(lane);
        continue;
      }
      const queue = waiting.get(lane) as Queued[];
      queue.splice(0, first.length);
      // The lane is added again at the end, so that its remaining and new messages wait behind lanes that
      // have waited longer.
      waiting.delete(lane);
      if (queue.length > 0) waiting.set(lane, queue);
      items.push(...first);
    }
    return items;
  }

  async function commit(take: (tx: Tx) => Promise<readonly Queued[]>): Promise<void> {
    const started = performance.now();
    let items: readonly Queued[] = [];
    const after = await options.writeBatch(async (tx) => {
      items = await take(tx);
      return items.map(({ message }) => message);
    });
    outage = null;
    const readings = items.reduce((sum, { size }) => sum + size, 0);
    options.onCommitted(readings, items.length, (performance.now() - started) / 1000);
    settle(items);
    after();
  }

  /** Commits messages of free lanes; returns false when none could be taken from the queue. */
  async function commitSome(candidates: Candidates, failures: number): Promise<boolean> {
    const held = new Set(candidates.lanes.keys());
    for (const lane of held) busy.add(lane);
    let items: readonly Queued[] = [];
    const batch = { since: 0 };
    try {
      await commit(async (tx) => {
        items = await claim(tx, candidates, held);
        batch.since = oldestOf(items);
        underWay.add(batch);
        return items;
      });
      return true;
    } catch (error) {
      if (items.length > 0) {
        await retry(items, error);
        return true;
      }
      if (isDatabaseAway(error)) noteOutage(error as Error);
      else log.warn({ error: (error as Error).message }, 'no lane could be claimed');
      if (!stopping) await pause(failures);
      return false;
    } finally {
      underWay.delete(batch);
      for (const lane of held) busy.delete(lane);
    }
  }

  /**
   * Retries messages whose commit failed until they are stored or rejected. Their lanes stay busy in this
   * process.
   */
  async function retry(items: readonly Queued[], firstError: unknown): Promise<void> {
    let error = firstError;
    let retries = 0;
    for (let pauses = 0; ; pauses++) {
      if (error instanceof StaleBindings) {
        const { deviceIds } = error;
        const isStale = ({ message }: Queued) => deviceIds.has(message.deviceId);
        settle(items.filter(isStale), error);
        const others = items.filter((item) => !isStale(item));
        return others.length > 0 ? commitAll(others) : undefined;
      }
      if (isDatabaseAway(error)) {
        noteOutage(error as Error);
        if (stopping) return settle(items, new AppError('ingest.unavailable'));
      } else if (isRefusal(error) || retries >= (items.length > 1 ? RETRIES_OF_BATCH : RETRIES)) {
        if (items.length === 1) {
          log.error({ err: error }, 'message could not be stored');
          const code = isRefusal(error) ? 'ingest.refused' : 'ingest.unavailable';
          return settle(items, new AppError(code, {}, { cause: error }));
        }
        // One message is the cause, so the batch is bisected and the others are not affected.
        const middle = items.length >> 1;
        await commitAll(items.slice(0, middle));
        return commitAll(items.slice(middle));
      } else retries++;
      await pause(pauses);
      try {
        return await commitLocked(items);
      } catch (next) {
        error = next;
      }
    }
  }

  async function commitAll(items: readonly Queued[]): Promise<void> {
    try {
      await commitLocked(items);
    } catch (error) {
      await retry(items, error);
    }
  }

  const commitLocked = (items: readonly Queued[]) =>
    commit(async (tx) => {
      const days = new Set<number>();
      for (const { message } of items) addMessageDays(days, message);
      await lockForWriting(
        tx,
        items.flatMap(({ message }) => [message.deviceId, ...message.readings.laneDeviceIds]),
        days,
      );
      return items;
    });

  function noteOutage(error: Error): void {
    // PostgreSQL stops when it cannot write its write-ahead log, so until a commit succeeds the reason is
    // still the full disk.
    const reason = isDiskFull(error) || outage?.reason === 'disk-full' ? 'disk-full' : 'database-away';
    if (outage?.reason !== reason) log.error({ error: error.message }, `${LOGGED[reason]}, readings wait`);
    outage = { since: outage?.since ?? clock.now(), reason };
  }

  async function runWriter(): Promise<void> {
    writersRunning++;
    // Messages that arrive in the same turn of the event loop share the transaction.
    await new Promise((next) => setImmediate(next));
    let failures = 0;
    for (let candidates = choose(); candidates; candidates = choose()) {
      const isOver = await commitSome(candidates, failures);
      failures = isOver ? 0 : failures + 1;
      if (!isOver && stopping) refuseAll();
    }
    writersRunning--;
    if (writersRunning === 0) for (const wake of waitingForEnd.splice(0)) wake();
  }

  function refuseAll(): void {
    const items = [...waiting.values()].flat();
    waiting.clear();
    settle(items, new AppError('ingest.unavailable'));
  }

  function oldestMs(): number {
    let oldest = Number.POSITIVE_INFINITY;
    for (const queue of waiting.values()) oldest = Math.min(oldest, (queue[0] as Queued).since);
    for (const { since } of underWay) oldest = Math.min(oldest, since);
    return Math.max(0, elapsed() - oldest);
  }

  return {
    write(message) {
      if (stopping) return Promise.reject(new AppError('ingest.unavailable'));
      if (queued >= options.maxQueuedReadings) return Promise.reject(new AppError('ingest.busy'));
      const size = Math.max(1, message.readings.at.length + message.readings.positions.length);
      queued += size;
      const lane = laneOf(message.deviceId);
      return new Promise((resolve, reject) => {
        const item = { message, size, since: elapsed(), resolve, reject };
        const queue = waiting.get(lane);
        if (queue) queue.push(item);
        else waiting.set(lane, [item]);
        if (writersRunning < options.writers) void runWriter();
      });
    },
    room() {
      if (queued < options.maxQueuedReadings) return Promise.resolve();
      return new Promise((wake) => waitingForRoom.push(wake));
    },
    queuedReadings: () => queued,
    oldestMs,
    stall() {
      if (outage) return outage;
      const age = oldestMs();
      return age > STALLED_AFTER_MS ? { since: clock.now() - age, reason: 'not-committing' } : null;
    },
    async stop() {
      stopping = true;
      if (writersRunning > 0) await new Promise<void>((wake) => waitingForEnd.push(wake));
    },
  };
}

function pause(failures: number): Promise<void> {
  return new Promise((wake) => setTimeout(wake, Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** failures)));
}

function oldestOf(items: readonly Queued[]): number {
  return items.reduce((oldest, { since }) => Math.min(oldest, since), Number.POSITIVE_INFINITY);
}

/**
 * Returns true if the database rejects the data itself (SQLSTATE class 22, data exception), so that a resend
 * is useless. Any other error may be temporary.
 */
function isRefusal(error: unknown): boolean {
  return /^22/.test((error as { code?: string }).code ?? '');
}
