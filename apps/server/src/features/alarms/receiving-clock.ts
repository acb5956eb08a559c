import { beatReceivingClock, spanBegunBy } from '@isotherm/domain/alarms/receiving-clock';
import type pg from 'pg';
import type { Clock } from '../../platform/clock.ts';
import { type Tx, transaction } from '../../platform/db/pool.ts';
import {
  holdReceivingClock,
  insertSpan,
  readDatabaseTime,
  readLastSpan,
  saveReceivingClock,
} from './receiving-clock.repo.ts';

export interface ReceivingClockOptions {
  pool: pg.Pool;
  /** Clock that gives the time of receipt of readings in this process. */
  clock: Clock;
  /** Reads the time of the database, epoch ms. Tests replace it. */
  databaseTime?: (tx: Tx) => Promise<number>;
}

/**
 * Creates the part of a process that advances the receiving clock. The clock is stored in the database, is
 * shared by the whole installation and counts only time in which the server can receive (docs/alarms.md).
 */
export function createReceivingClock({
  pool,
  clock,
  databaseTime = readDatabaseTime,
}: ReceivingClockOptions) {
  return {
    /**
     * Counts one heartbeat. Called every few seconds while this process can receive. Returns the time of the
     * receiving clock in ms.
     */
    beat: (): Promise<number> =>
      transaction(pool, async (tx) => {
        const before = await holdReceivingClock(tx);
        // The time is read while the row is locked, so that no other process counts the same interval.
        const after = beatReceivingClock(before, await databaseTime(tx));
        await saveReceivingClock(tx, after);
        const span = spanBegunBy(await readLastSpan(tx), after.elapsedMs, clock.now());
        if (span) await insertSpan(tx, span);
        return after.elapsedMs;
      }),
  };
}
export type ReceivingClockOfProcess = ReturnType<typeof createReceivingClock>;
