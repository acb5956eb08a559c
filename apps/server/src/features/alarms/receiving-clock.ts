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
  /** The clock that dates what this process receives. */
  clock: Clock;
  /** Time of the database, epoch ms; replaced in tests. */
  databaseTime?: (tx: Tx) => Promise<number>;
}

/** Advances the persisted receiving clock of the installation (docs/alarms.md) in the name of this process. */
export function createReceivingClock({
  pool,
  clock,
  databaseTime = readDatabaseTime,
}: ReceivingClockOptions) {
  return {
    /** Heartbeat: called every few seconds while this process can receive. Returns the clock's time in ms. */
    beat: (): Promise<number> =>
      transaction(pool, async (tx) => {
        const before = await holdReceivingClock(tx);
        // Read while the row is locked, so that no other process counts the same time.
        const after = beatReceivingClock(before, await databaseTime(tx));
        await saveReceivingClock(tx, after);
        const span = spanBegunBy(await readLastSpan(tx), after.elapsedMs, clock.now());
        if (span) await insertSpan(tx, span);
        return after.elapsedMs;
      }),
  };
}
export type ReceivingClockOfProcess = ReturnType<typeof createReceivingClock>;
