import type { Db } from '../db/pool.ts';
import type { Logger } from '../log.ts';

const TELL_EVERY_MS = 5_000;
/** A worker counts as dead when this process has seen no heartbeat for this time. */
const DEAD_AFTER_MS = 30_000;

export interface WatchTimes {
  tellEveryMs: number;
  deadAfterMs: number;
}

interface Sighting {
  seenAt: string;
  /** Time when this process first saw that heartbeat value, by its own clock. */
  since: number;
}

/**
 * Detects dead workers: those whose heartbeat this process has seen unchanged for a given time, at every
 * check. Neither clock jumps nor a database outage, during which nobody can send heartbeats, makes a worker
 * appear dead.
 */
export class Sightings {
  #known = new Map<string, Sighting>();

  /** @param at time of this process in monotonic milliseconds */
  look(workers: ReadonlyMap<string, string>, at: number, deadAfterMs: number): string[] {
    const next = new Map<string, Sighting>();
    for (const [worker, seenAt] of workers) {
      const known = this.#known.get(worker);
      next.set(worker, known?.seenAt === seenAt ? known : { seenAt, since: at });
    }
    this.#known = next;
    return [...next].filter(([, { since }]) => at - since >= deadAfterMs).map(([worker]) => worker);
  }

  /** Must be called after a failed check, because heartbeats may have been missed. */
  forget(): void {
    this.#known = new Map();
  }
}

export interface WorkerWatch {
  began(worker: string): void;
  ended(worker: string): void;
  stop(): Promise<void>;
}

/** Sends heartbeats for the workers of this process, and unlocks the jobs of those that have ended or died. */
export function startWorkerWatch(
  db: Db,
  log: Logger,
  { tellEveryMs, deadAfterMs }: WatchTimes = { tellEveryMs: TELL_EVERY_MS, deadAfterMs: DEAD_AFTER_MS },
): WorkerWatch {
  const own = new Set<string>();
  const gone = new Set<string>();
  const sightings = new Sightings();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stopped = false;
  let running: Promise<void> = Promise.resolve();

  async function tick(): Promise<void> {
    try {
      const told = [...gone];
      // A worker that ended during a database outage could not give its jobs back.
      await free(db, told);
      await tell(db, [...own], told);
      // Another worker may have ended while this heartbeat was written; it is reported with the next
      // heartbeat.
      for (const worker of told) gone.delete(worker);
      const dead = sightings.look(await readOthers(db, [...own]), performance.now(), deadAfterMs);
      for (const worker of await unlock(db, dead))
        log.warn({ worker }, 'jobs of a worker that died are free');
    } catch (error) {
      sightings.forget();
      log.warn({ error: (error as Error).message }, 'workers could not be watched');
    }
    if (!stopped) timer = setTimeout(next, tellEveryMs);
  }
  function next(): void {
    running = tick();
  }
  next();

  /** Sends a heartbeat immediately, because a worker may take a job and die before the next heartbeat. */
  function tellNow(): void {
    if (stopped) return;
    clearTimeout(timer);
    running = running.then(() => {
      clearTimeout(timer);
      return tick();
    });
  }
  return {
    began(worker) {
      own.add(worker);
      tellNow();
    },
    ended(worker) {
      own.delete(worker);
      gone.add(worker);
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
      const ended = [...own, ...gone];
      await free(db, ended)
        .then(() => tell(db, [], ended))
        .catch(() => undefined);
    },
  };
}

/** Unlocks jobs of workers of this process that have ended. */
async function free(db: Db, ended: readonly string[]): Promise<void> {
  if (ended.length > 0) await db.query('select graphile_worker.force_unlock_workers($1::text[])', [ended]);
}

async function tell(db: Db, own: readonly string[], gone: readonly string[]): Promise<void> {
  await db.query(
    `insert into job_worker (worker_id, seen_at) select unnest($1::text[]), clock_timestamp()
     on conflict (worker_id) do update set seen_at = excluded.seen_at`,
    [own],
  );
  if (gone.length > 0) await db.query('delete from job_worker where worker_id = any($1)', [gone]);
}

async function readOthers(db: Db, own: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await db.query<{ worker_id: string; seen_at: string }>(
    'select worker_id, seen_at::text from job_worker where worker_id <> all($1)',
    [own],
  );
  return new Map(rows.map((row) => [row.worker_id, row.seen_at] as const));
}

/**
 * Unlocks jobs of dead workers and returns those workers. Only one process unlocks the jobs of a worker,
 * even if several detect it.
 */
async function unlock(db: Db, dead: readonly string[]): Promise<string[]> {
  if (dead.length === 0) return [];
  const { rows } = await db.query<{ worker_id: string }>(
    `with dead as (delete from job_worker where worker_id = any($1) returning worker_id)
     select worker_id, graphile_worker.force_unlock_workers(array[worker_id]) from dead`,
    [dead],
  );
  return rows.map((row) => row.worker_id);
}
