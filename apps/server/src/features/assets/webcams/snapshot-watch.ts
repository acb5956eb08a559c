import type pg from 'pg';
import type { Clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/log.ts';
import { claimWishes, giveUpBefore, wantBySchedule, wantForAlarms } from './snapshots.repo.ts';
import type { SnapshotsService } from './snapshots.service.ts';

const LOOK_EVERY_MS = 5_000;
/** Cameras that are asked at once. */
const AT_ONCE = 4;
/** An alarm of before the process was started anew is still of this moment. */
const ALARM_WITHIN_MS = 120_000;
/** No picture takes so long: whoever was at it is gone. */
const ABANDONED_AFTER_MS = 120_000;
const GIVEN_UP_AFTER_MS = 600_000;

/** Takes pictures on schedule and at the moment of an alarm. */
export interface SnapshotWatch {
  start(): void;
  /** Looks at once, where it was started: there is a new alarm, or a new schedule. */
  wake(): void;
  /** Waits for the pictures that are being taken. */
  stop(): Promise<void>;
}

/**
 * Beside the queue of jobs and outside every transaction of readings: a camera that answers slowly keeps nobody waiting
 * but other cameras. What is wanted stands in the database, so that another process takes up what one leaves.
 */
export function createSnapshotWatch(
  pool: pg.Pool,
  clock: Clock,
  log: Logger,
  take: SnapshotsService['take'],
): SnapshotWatch {
  const underWay = new Set<Promise<void>>();
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | null = null;
  let again = false;
  let running = false;
  /** What was ended with the process is wanted still. */
  const failed = (error: Error) => {
    if (running) log.warn({ error: error.message }, 'pictures of cameras were not taken');
  };

  async function look(): Promise<void> {
    const now = clock.now();
    await wantForAlarms(pool, new Date(now - ALARM_WITHIN_MS), new Date(now));
    await wantBySchedule(pool, new Date(now));
    await giveUpBefore(pool, new Date(now - GIVEN_UP_AFTER_MS));
    const free = AT_ONCE - underWay.size;
    if (free <= 0) return;
    const abandonedBefore = new Date(now - ABANDONED_AFTER_MS);
    for (const wish of await claimWishes(pool, free, new Date(now), { abandonedBefore })) {
      const taking: Promise<void> = take(wish)
        .catch(failed)
        .finally(() => {
          underWay.delete(taking);
          // Its place is free for the next wish.
          wake();
        });
      underWay.add(taking);
    }
  }

  function wake(): void {
    if (!running) return;
    if (looking) {
      again = true;
      return;
    }
    looking = look()
      .catch(failed)
      .finally(() => {
        looking = null;
        if (again) {
          again = false;
          wake();
        }
      });
  }

  return {
    start() {
      running = true;
      timer = setInterval(wake, LOOK_EVERY_MS);
      wake();
    },
    wake,
    async stop() {
      running = false;
      clearInterval(timer);
      await looking;
      await Promise.all(underWay);
    },
  };
}
