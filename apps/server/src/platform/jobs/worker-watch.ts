import type { Db } from '../db/pool.ts';
import type { Logger } from '../log.ts';

const TELL_EVERY_MS = 5_000;
/** So long a worker must have been silent before this process's own eyes. */
const DEAD_AFTER_MS = 30_000;

export interface WatchTimes {
  tellEveryMs: number;
  deadAfterMs: number;
}

interface Sighting {
  seenAt: string;
  /** When this process saw that value first, by its own clock. */
  since: number;
}

/**
 * Which workers have died: those whose sign of life this process has seen unchanged for so long, at every look. Neither
 * a jump of a clock nor an outage of the database, in which nobody could give a sign, makes a worker look dead.
 */
export class Sightings {
  #known = new Map<string, Sighting>();

  /** @param at of this process, milliseconds that never run backwards */
  look(workers: ReadonlyMap<string, string>, at: number, deadAfterMs: number): string[] {
    const next = new Map<string, Sighting>();
    for (const [worker, seenAt] of workers) {
      const known = this.#known.get(worker);
      next.set(worker, known?.seenAt === seenAt ? known : { seenAt, since: at });
    }
    this.#known = next;
    return [...next].filter(([, { since }]) => at - since >= deadAfterMs).map(([worker]) => worker);
  }

  /** A look failed: what others did meanwhile is not known. */
  forget(): void {
    this.#known = new Map();
  }
}

export interface WorkerWatch {
  began(worker: string): void;
  ended(worker: string): void;
  stop(): Promise<void>;
}

/** Gives signs of life of the workers of this process, and unlocks the jobs of workers that died. */
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
      await tell(db, [...own], told);
      // Another may have ended while this was written: it is told next time.
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

  /** At once: a worker may take a job, and die, before the next sign of life. */
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
      await tell(db, [], [...own, ...gone]).catch(() => undefined);
    },
  };
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

/** One process frees the jobs of a dead worker, though several see that it is dead. */
async function unlock(db: Db, dead: readonly string[]): Promise<string[]> {
  if (dead.length === 0) return [];
  const { rows } = await db.query<{ worker_id: string }>(
    `with dead as (delete from job_worker where worker_id = any($1) returning worker_id)
     select worker_id, graphile_worker.force_unlock_workers(array[worker_id]) from dead`,
    [dead],
  );
  return rows.map((row) => row.worker_id);
}
