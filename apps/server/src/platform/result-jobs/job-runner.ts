import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError, type ErrorCode } from '@isotherm/contracts/errors';
import { JOB_FILE_DAYS, type JobKindName } from '@isotherm/contracts/jobs';
import { can } from '@isotherm/domain/access/can';
import type { Language } from '@isotherm/i18n/languages';
import type pg from 'pg';
import type { Clock } from '../clock.ts';
import { isDatabaseAway, transaction } from '../db/pool.ts';
import { type FileStore, isNoSpace, StoreAway } from '../files/file-store.ts';
import type { Spool, SpooledFile } from '../files/spool.ts';
import type { Caller } from '../http/caller.ts';
import type { Logger } from '../log.ts';
import { type JobContent, type JobKind, permissionOf } from './job-kind.ts';
import {
  announceFile,
  type ClaimedJob,
  claimJob,
  endCancelled,
  failJob,
  finishJob,
  forgetFile,
  giveBack,
  isAnyOpen,
  renewJob,
  withScopeOf,
} from './result-jobs.repo.ts';

const DAY_MS = 86_400_000;
const LOOK_EVERY_MS = 1_000;
/** Interval at which the lease is renewed and the progress is stored. */
const RENEW_EVERY_MS = 500;
/** Jobs that run at the same time in this process. */
const AT_ONCE = 2;
/** Jobs of one organisation that run at the same time, in all processes together. */
const OF_ORGANIZATION = 1;
/** A job whose process has died this often is not run again, because it may be the reason. */
const MOST_ATTEMPTS = 3;
/** A stored file whose job was not recorded is deleted after this time at the latest. */
const UNRECORDED_MS = 3_600_000;
/** Pauses between attempts to store the file. */
const STORE_PAUSES_MS = [1_000, 5_000, 15_000];

/** Why the work on a job was ended. */
type Ending = 'cancelled' | 'lost' | 'stopping';

class Ended extends Error {
  readonly why: Ending;

  constructor(why: Ending) {
    super(why);
    this.why = why;
  }
}

export interface JobRunner {
  start(): void;
  /** Looks for work at once. */
  nudge(): void;
  /** Gives running jobs back, so that another process continues with them. */
  stop(): Promise<void>;
}

export interface RunnerParts {
  /** Own connections, so that a job takes none of requests, devices and alarms. */
  pool: pg.Pool;
  clock: Clock;
  log: Logger;
  store: FileStore;
  spool: Spool;
  kindOf(name: JobKindName): JobKind | undefined;
  /** Returns the account with its current rights; null if it may no longer sign in. */
  callerNow(username: string, language: Language): Promise<Caller | null>;
  storePausesMs?: readonly number[];
}

/**
 * Runs jobs with results, a few at a time, beside everything else. Any number of processes may: each job is claimed for
 * the time of a lease, which is renewed while it runs, and what a worker without the lease stores is refused.
 */
export function createJobRunner(parts: RunnerParts): JobRunner {
  const { pool, clock, log, store, spool, storePausesMs = STORE_PAUSES_MS } = parts;
  const running = new Map<number, { done: Promise<void>; abort: AbortController }>();
  const now = () => new Date(clock.now());
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | null = null;
  let isStopping = false;

  async function look(): Promise<void> {
    while (!isStopping && running.size < AT_ONCE && (await isAnyOpen(pool))) {
      // A job that was just given back must not be claimed again by the same worker.
      if (isStopping) return;
      const job = await transaction(pool, (tx) => claimJob(tx, OF_ORGANIZATION, now()));
      if (!job) return;
      begin(job);
    }
  }

  function begin(job: ClaimedJob): void {
    const abort = new AbortController();
    const done = run(job, abort)
      .catch((error: Error) =>
        log.warn({ job: job.id, error: error.message }, 'state of a job was not stored'),
      )
      .finally(() => {
        running.delete(job.id);
        nudge();
      });
    running.set(job.id, { done, abort });
  }

  function nudge(): void {
    if (isStopping || !timer) return;
    looking ??= look()
      .catch((error: Error) => log.debug({ error: error.message }, 'jobs were not looked for'))
      .finally(() => {
        looking = null;
      });
  }

  async function run(job: ClaimedJob, abort: AbortController): Promise<void> {
    if (job.attempts > MOST_ATTEMPTS) return fail(job, new AppError('job.crashed'));
    let progress = 0;
    let renewing: Promise<void> | null = null;
    const renewal = setInterval(() => {
      renewing ??= renewJob(pool, job, progress)
        .then((state) => {
          if (state !== 'held') abort.abort(new Ended(state));
        })
        // The lease lasts longer than a short interruption of the database.
        .catch(() => undefined)
        .finally(() => {
          renewing = null;
        });
    }, RENEW_EVERY_MS);
    try {
      await work(job, abort.signal, (part) => {
        progress = Math.min(1, Math.max(progress, part));
      });
    } catch (error) {
      // Work that was told to end may fail with an error of what it was interrupted in.
      await end(job, abort.signal.aborted ? abort.signal.reason : error);
    } finally {
      clearInterval(renewal);
      await renewing;
    }
  }

  async function work(job: ClaimedJob, signal: AbortSignal, progress: (part: number) => void): Promise<void> {
    const kind = parts.kindOf(job.kind);
    if (!kind) throw new AppError('job.failed');
    const parameters = kind.parameters.parse(job.parameters);
    const caller = await permitted(job, kind, parameters);
    // An event that was already dispatched does not reach work that begins to listen for it.
    signal.throwIfAborted();
    const content = await kind.run(caller, parameters, { signal, progress });
    const file = await spool.write(content.body, () => signal.throwIfAborted());
    try {
      // Rights, assets and organisations may have changed meanwhile.
      await permitted(job, kind, parameters);
      await publish(job, content, file, kind.keptDays ?? JOB_FILE_DAYS, signal);
    } finally {
      await file.remove();
    }
  }

  async function permitted(job: ClaimedJob, kind: JobKind, parameters: unknown): Promise<Caller> {
    const permission = permissionOf(kind, parameters);
    const person =
      job.username === null
        ? serverCaller(permission, job.language)
        : await parts.callerNow(job.username, job.language);
    const caller = person && (await withScopeOf(pool, person, job.organizationId));
    if (!caller || !can(caller.permissions, permission)) throw new AppError('job.forbidden');
    await kind.check(caller, parameters);
    return caller;
  }

  async function publish(
    job: ClaimedJob,
    { fileName, mediaType }: JobContent,
    { path, bytes, hash }: SpooledFile,
    keptDays: number,
    signal: AbortSignal,
  ): Promise<void> {
    const key = `${job.id}-${job.fence}-${randomBytes(12).toString('hex')}`;
    await announceFile(pool, key, new Date(clock.now() + UNRECORDED_MS));
    await put(key, path, signal);
    const expiresAt = new Date(clock.now() + keptDays * DAY_MS);
    const result = { key, fileName, mediaType, bytes, hash, expiresAt };
    const isRecorded = await transaction(pool, (tx) => finishJob(tx, job, result, now())).catch(
      async (error: unknown) => {
        await discard(key);
        if (isDatabaseAway(error)) throw error;
        // Requirements §8: the storage has the file, but the server has no record of it.
        const code = String((error as { code?: string }).code ?? 'unknown');
        throw new AppError('job.unrecorded', { code }, { cause: error });
      },
    );
    if (isRecorded) return;
    await discard(key);
    throw new Ended((await renewJob(pool, job, 1)) === 'cancelled' ? 'cancelled' : 'lost');
  }

  async function put(key: string, path: string, signal: AbortSignal): Promise<void> {
    for (const pause of [...storePausesMs, null])
      try {
        return await store.put(key, path);
      } catch (error) {
        if (pause === null || !(error instanceof StoreAway)) throw error;
        await delay(pause, undefined, { signal }).catch(() => undefined);
        signal.throwIfAborted();
      }
  }

  /** Deletes a file without a record. What cannot be deleted now is deleted by the sweeper. */
  async function discard(key: string): Promise<void> {
    try {
      await store.remove(key);
      await forgetFile(pool, key);
    } catch (error) {
      log.warn({ key, error: (error as Error).message }, 'an unrecorded file is deleted later');
    }
  }

  async function end(job: ClaimedJob, error: unknown): Promise<void> {
    if (error instanceof Ended) {
      if (error.why === 'cancelled') await endCancelled(pool, job, now());
      if (error.why === 'stopping') await giveBack(pool, job);
      return;
    }
    // The lease expires, and the job runs again when the database is back.
    if (isDatabaseAway(error) && !isNoSpace(error)) throw error;
    await fail(job, asAppError(job, error));
  }

  function asAppError(job: ClaimedJob, error: unknown): AppError {
    if (error instanceof AppError) return error;
    const code: ErrorCode = isNoSpace(error)
      ? 'job.disk_full'
      : error instanceof StoreAway
        ? 'job.storage_away'
        : 'job.failed';
    log.error({ job: job.id, kind: job.kind, err: error }, 'a job has failed');
    return new AppError(code, {}, { cause: error });
  }

  const fail = (job: ClaimedJob, { code, params }: AppError) =>
    failJob(pool, job, { code, values: params }, now());

  return {
    start() {
      timer = setInterval(nudge, LOOK_EVERY_MS);
      nudge();
    },
    nudge,
    async stop() {
      isStopping = true;
      clearInterval(timer);
      const abortAll = () => {
        for (const { abort } of running.values()) abort.abort(new Ended('stopping'));
      };
      abortAll();
      await looking;
      // One that was claimed in the meantime.
      abortAll();
      await Promise.all([...running.values()].map(({ done }) => done));
    },
  };
}

/** Who orders jobs that no person has ordered. Their scope is set to the organisation of the job. */
const serverCaller = (permission: string, language: Language): Caller => ({
  accountId: null,
  sessionId: null,
  username: 'system',
  realname: '',
  organizationId: 0,
  scope: '/',
  permissions: new Set([permission]),
  language,
  address: '',
});
