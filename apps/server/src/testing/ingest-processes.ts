import { AppError } from '@isotherm/contracts/errors';
import type { TestDatabase } from '@isotherm/testkit/test-database';
import type pg from 'pg';
import { createEvaluator, createRuleBook } from '../features/alarms/index.ts';
import { createDeviceDirectory } from '../features/devices/index.ts';
import { createCalibrationBook } from '../features/telemetry/calibrated.ts';
import { createIngest } from '../features/telemetry/ingest.ts';
import { createReadingWriter } from '../features/telemetry/reading-writer.ts';
import { createRejectedMessages } from '../features/telemetry/rejected-messages.ts';
import { createInvalidations } from '../platform/cache/invalidations.ts';
import type { Clock } from '../platform/clock.ts';
import { createLog } from '../platform/log.ts';
import { createMetrics } from '../platform/metrics.ts';
import { createBreakablePool, type Fault } from './broken-connections.ts';

export interface IngestProcesses {
  /**
   * Sends a message to this process, then to the next ones until one acknowledges it. Returns the number of
   * accepted readings.
   */
  send(process: number, number: string, payload: object): Promise<number>;
  /** Breaks the next transaction of a process that reaches the fault; null breaks none. */
  breakNext(process: number, fault: Fault | null): void;
  /** Notifies these processes that the devices have changed. */
  tell(processes: readonly number[], numbers: readonly string[]): void;
  /** Replaces a process with a new one. */
  restart(process: number): Promise<void>;
}

export interface IngestCluster {
  /** Returns a cluster of only the first `count` processes. */
  firstOf(count: number): IngestProcesses;
  stop(): Promise<void>;
}

interface Process {
  send(number: string, payload: object): Promise<number>;
  breakNext(fault: Fault | null): void;
  tell(numbers: readonly string[]): void;
  isDead(): boolean;
  stop(): Promise<void>;
}

const metrics = createMetrics();

/**
 * Starts a number of ingest processes without listeners, each with its own connections, caches and writers.
 * Only `tell` notifies their caches.
 */
export function startIngestCluster(
  count: number,
  database: Pick<TestDatabase, 'connectionString'>,
  /** Connection pool shared by all processes for look-ups. */
  pool: pg.Pool,
  clock: Clock,
  /** Clock of the writers, which determines how recent an unnoticed change may be. */
  writerClock: Clock,
): IngestCluster {
  const log = createLog('silent', false);
  const rejected = createRejectedMessages(pool, log);

  /**
   * Creates the memory of one process. It is emptied instead of created again for the next process, because
   * creating it takes long.
   */
  function createMemory() {
    const invalidations = createInvalidations(true);
    return {
      invalidations,
      calibrations: createCalibrationBook(invalidations),
      // Versions that have ended are never cached, so that every replay has to read them.
      rules: createRuleBook(invalidations),
      directory: createDeviceDirectory(
        pool,
        invalidations,
        { open: () => null },
        { connected: () => undefined, refused: () => undefined },
      ),
    };
  }

  function start({ invalidations, calibrations, rules, directory }: Memory): Process {
    invalidations.setConnected(true);
    let dead: Promise<void> | null = null;
    const breakable = createBreakablePool(database.connectionString, () => {
      breakable.breakAll();
      dead ??= writer.stop();
    });
    const writer = createReadingWriter({
      pool: breakable.pool,
      clock: writerClock,
      log,
      writers: 2,
      maxQueuedReadings: 1_000_000,
      calibrations,
      onPositions: async () => undefined,
      onBatch: createEvaluator(rules, () => undefined),
      onCommitted: () => undefined,
    });
    const ingest = createIngest(
      directory,
      writer,
      rejected,
      metrics,
      clock,
      clock,
      () => undefined,
      async () => undefined,
    );
    return {
      async send(number, payload) {
        const device = await directory.find(number);
        if (!device) throw new Error(`no device ${number}`);
        const { accepted } = await ingest.take({
          gateway: 'http',
          address: '',
          device,
          payload: Buffer.from(JSON.stringify(payload)),
        });
        return accepted;
      },
      breakNext: breakable.breakNext,
      tell: (numbers) => invalidations.invalidate('device', numbers),
      isDead: () => dead !== null,
      async stop() {
        await (dead ?? writer.stop());
        await breakable.end();
      },
    };
  }

  type Memory = ReturnType<typeof createMemory>;
  const memories = Array.from({ length: count }, createMemory);
  const processes = memories.map(start);

  async function restart(at: number): Promise<void> {
    const before = processes[at] as Process;
    processes[at] = start(memories[at] as Memory);
    await before.stop();
  }

  async function send(at: number, number: string, payload: object): Promise<number | null> {
    const served = processes[at] as Process;
    try {
      return await served.send(number, payload);
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'ingest.unavailable')) throw error;
      // Several messages may have been in progress in the dead process; only one of them restarts it.
      if (served.isDead() && processes[at] === served) await restart(at);
      return null;
    }
  }

  return {
    firstOf: (some) => ({
      async send(process, number, payload) {
        for (let at = process; ; at++) {
          const accepted = await send(at % some, number, payload);
          if (accepted !== null) return accepted;
        }
      },
      breakNext: (process, fault) => (processes[process % some] as Process).breakNext(fault),
      tell(told, numbers) {
        for (const at of told) processes[at]?.tell(numbers);
      },
      restart: (process) => restart(process % some),
    }),
    async stop() {
      for (const process of processes) await process.stop();
      await rejected.stop();
    },
  };
}
