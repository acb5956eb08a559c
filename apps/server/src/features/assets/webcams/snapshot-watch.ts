import { companyOf } from '@isotherm/domain/access/organization-tree';
import { nextTurns, type Shares } from '@isotherm/domain/assets/fair-turns';
import type pg from 'pg';
import type { Clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/log.ts';
import { claimWishes, giveUpBefore, waitingWishes, wantBySchedule, wantForAlarms } from './snapshots.repo.ts';
import type { SnapshotsService } from './snapshots.service.ts';

const LOOK_EVERY_MS = 5_000;
/**
 * Maximum number of cameras that are queried at the same time, per enterprise and in total, so that slow
 * cameras delay few others.
 */
const SHARES: Shares = { each: 3, inAll: 8 };
/** An alarm of this age still gets a snapshot, for example after a restart. */
const ALARM_WITHIN_MS = 120_000;
/** No snapshot takes this long, so the process that claimed the snapshot must have died. */
const ABANDONED_AFTER_MS = 120_000;
const GIVEN_UP_AFTER_MS = 600_000;

/** Takes snapshots on schedule and at the moment of an alarm. */
export interface SnapshotWatch {
  start(): void;
  /** If started, checks at once for new alarms and due schedules. */
  wake(): void;
  /** Waits for snapshots in progress. */
  stop(): Promise<void>;
}

/**
 * Creates the snapshot watch. It runs outside the job queue and outside ingest transactions, so that a slow
 * camera delays only other cameras. Requests are stored in the database, so another process continues them
 * if this one dies.
 */
export function createSnapshotWatch(
  pool: pg.Pool,
  clock: Clock,
  log: Logger,
  take: SnapshotsService['take'],
): SnapshotWatch {
  /** Snapshots in progress, each with its enterprise. */
  const underWay = new Map<Promise<void>, number>();
  const lastTurn = new Map<number, number>();
  let turn = 0;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | null = null;
  let again = false;
  let running = false;
  /** A request that was aborted by a shutdown stays in the queue. */
  const failed = (error: Error) => {
    if (running) log.warn({ error: error.message }, 'pictures of cameras were not taken');
  };

  async function look(): Promise<void> {
    const now = clock.now();
    await wantForAlarms(pool, new Date(now - ALARM_WITHIN_MS), new Date(now));
    await wantBySchedule(pool, new Date(now));
    await giveUpBefore(pool, new Date(now - GIVEN_UP_AFTER_MS));
    if (underWay.size >= SHARES.inAll) return;
    const abandonedBefore = new Date(now - ABANDONED_AFTER_MS);
    const wishes = await waitingWishes(pool, SHARES.each, { abandonedBefore });
    const waiting = wishes.map((wish) => ({
      ...wish,
      of: companyOf(wish.organizationPath),
      urgent: wish.cause === 'alarm',
    }));
    const chosen = nextTurns(waiting, { held: countEach([...underWay.values()]), lastTurn }, SHARES);
    if (chosen.length === 0) return;
    const ids = chosen.map(({ id }) => id);
    const claimed = await claimWishes(pool, ids, new Date(now), { abandonedBefore });
    for (const wish of chosen) if (claimed.has(wish.id)) begin(wish);
    // Another process has claimed some of the chosen requests, and there may be more requests.
    if (claimed.size < chosen.length) again = true;
  }

  function begin(wish: { id: number; webcamId: number; of: number }): void {
    const taking: Promise<void> = take(wish)
      .catch(failed)
      .finally(() => {
        underWay.delete(taking);
        // A slot is free for the next request.
        wake();
      });
    underWay.set(taking, wish.of);
    lastTurn.set(wish.of, ++turn);
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
      await Promise.all(underWay.keys());
    },
  };
}

function countEach(all: readonly number[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const each of all) counts.set(each, (counts.get(each) ?? 0) + 1);
  return counts;
}
