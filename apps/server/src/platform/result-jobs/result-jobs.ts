import { AppError, type ErrorCode } from '@isotherm/contracts/errors';
import {
  cancelJob,
  deleteJob,
  downloadJob,
  type Job,
  type JobKindName,
  listJobs,
  MAX_LISTED_JOBS,
  MAX_OPEN_JOBS,
  retryJob,
} from '@isotherm/contracts/jobs';
import type { Download } from '@isotherm/contracts/route';
import { can } from '@isotherm/domain/access/can';
import type { Language } from '@isotherm/i18n/languages';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { Audit } from '../audit/audit.ts';
import type { Clock } from '../clock.ts';
import { type Tx, transaction } from '../db/pool.ts';
import { type FileStore, StoreAway } from '../files/file-store.ts';
import type { Spool } from '../files/spool.ts';
import type { Caller, Person } from '../http/caller.ts';
import { wordError } from '../http/error-words.ts';
import type { Mount } from '../http/mount.ts';
import type { Job as ScheduledJob } from '../jobs/jobs.ts';
import type { Logger } from '../log.ts';
import { type JobKind, permissionOf } from './job-kind.ts';
import { createJobRunner } from './job-runner.ts';
import {
  countOpen,
  deleteEnded,
  deleteJobsBefore,
  findJob,
  findOwn,
  forgetFile,
  insertJob,
  type JobRow,
  listDueFiles,
  listOwn,
  requestCancel,
  withScopeOf,
} from './result-jobs.repo.ts';

/** Time for which a job that has ended stays in the list. */
const LISTED_MS = 30 * 86_400_000;
const FILES_AT_ONCE = 500;

/** Long work with a result file (docs/reports.md). */
export interface ResultJobs {
  /** Adds a kind of jobs, before the server starts. */
  register<Parameters>(kind: JobKind<Parameters>): void;
  /**
   * Orders a job, with an entry in the audit log; `within` runs in the same transaction. Throws `job.too_many`, and what
   * the check of the kind throws.
   */
  order(caller: Orderer, order: JobOrder, within?: (tx: Tx, jobId: number) => Promise<void>): Promise<Job>;
  /** Orders a job of the server itself about an organisation, in the caller's transaction; returns its id. */
  orderOfServer(tx: Tx, organizationId: number, order: JobOrder & { language: Language }): Promise<number>;
  /** Checks that a caller may order such a job. Throws `job.forbidden`, and what the check of the kind throws. */
  permit(caller: Caller, order: Pick<JobOrder, 'kind' | 'parameters'>): Promise<void>;
  /** Opens the file of a job, for those who were sent a link to it. Throws `job.no_file`, `job.storage_away`. */
  open(id: number): Promise<Download>;
  mount(mount: Mount): void;
  /** Starts to run jobs in this process; the returned function stops it. */
  start(pool: pg.Pool): () => Promise<void>;
  /** Deletes files that have expired or were never recorded. */
  sweep(): Promise<void>;
  jobs: readonly ScheduledJob[];
}

/** A person with an account, in a session or not. */
export type Orderer = Caller & { accountId: number };

export interface JobOrder {
  kind: JobKindName;
  /** What the file is about, as asset names. */
  subject: string;
  parameters: object;
}

export function createResultJobs(parts: {
  pool: pg.Pool;
  audit: Pick<Audit, 'record'>;
  clock: Clock;
  log: Logger;
  translate: Translate;
  store: FileStore;
  spool: Spool;
  callerNow(username: string, language: Language): Promise<Caller | null>;
}): ResultJobs {
  const { pool, audit, clock, log, translate, store, spool, callerNow } = parts;
  const kinds = new Map<string, JobKind>();
  const now = () => new Date(clock.now());
  let nudge = () => {};

  async function permit(
    caller: Caller,
    { kind, parameters, organizationId }: Pick<JobRow, 'kind' | 'parameters' | 'organizationId'>,
  ): Promise<void> {
    const known = kinds.get(kind);
    // An earlier release may have had other kinds and parameters.
    const parsed = known?.parameters.safeParse(parameters);
    if (!known || !parsed?.success) throw new AppError('job.failed');
    const scoped = await withScopeOf(pool, caller, organizationId);
    if (!scoped || !can(caller.permissions, permissionOf(known, parsed.data)))
      throw new AppError('job.forbidden');
    await known.check(scoped, parsed.data);
  }

  async function order(
    caller: Orderer,
    { kind, subject, parameters }: JobOrder,
    within?: (tx: Tx, jobId: number) => Promise<void>,
  ): Promise<Job> {
    const { organizationId } = caller;
    await permit(caller, { kind, parameters, organizationId });
    const row = await transaction(pool, async (tx) => {
      if ((await countOpen(tx, caller.accountId)) >= MAX_OPEN_JOBS)
        throw new AppError('job.too_many', { most: MAX_OPEN_JOBS });
      const made = await insertJob(tx, {
        accountId: caller.accountId,
        organizationId,
        kind,
        subject,
        parameters,
        language: caller.language,
        at: now(),
      });
      await within?.(tx, made.id);
      await audit.record(tx, caller, {
        action: 'export',
        objectKind: 'job',
        objectId: made.id,
        objectName: subject,
        after: { jobKind: kind, ...parameters },
        organizationPath: caller.scope,
      });
      return made;
    });
    nudge();
    return shown(row, caller.language);
  }

  async function own(caller: Person, id: number): Promise<JobRow> {
    const row = await findOwn(pool, caller.accountId, id);
    if (!row) throw new AppError('job.not_found');
    return row;
  }

  function shown(row: JobRow, language: Language): Job {
    const isExpired = row.state === 'done' && row.expiresAt !== null && row.expiresAt <= now();
    const { error, errorValues } = row;
    return {
      id: row.id,
      kind: row.kind,
      subject: row.subject,
      state: isExpired ? 'expired' : row.state,
      progress: row.progress,
      isCancelling: row.isCancelling,
      orderedAt: row.orderedAt.toISOString(),
      endedAt: row.endedAt?.toISOString() ?? null,
      fileName: row.fileName,
      bytes: row.bytes,
      hash: row.hash,
      expiresAt: row.expiresAt?.toISOString() ?? null,
      error: error && wordError({ code: error as ErrorCode, params: errorValues ?? {} }, language, translate),
    };
  }

  async function download(caller: Person, id: number): Promise<Download> {
    const row = await own(caller, id);
    if (isThere(row)) await permit(caller, row);
    return open(row);
  }

  const isThere = ({ state, expiresAt }: JobRow) =>
    state === 'done' && expiresAt !== null && expiresAt > now();

  async function open(row: JobRow | null): Promise<Download> {
    if (!row || !isThere(row)) throw new AppError('job.no_file');
    const { id, fileKey, fileName, mediaType } = row;
    if (!fileKey || !fileName || !mediaType) throw new AppError('job.no_file');
    const body = await store.read(fileKey).catch((error: unknown) => {
      if (!(error instanceof StoreAway)) throw error;
      log.warn({ job: id, error: error.message }, 'the file storage is not available');
      throw new AppError('job.storage_away', {}, { cause: error });
    });
    if (!body) throw new AppError('job.no_file');
    return { fileName, mediaType, body };
  }

  async function sweep(): Promise<void> {
    for (const key of await listDueFiles(pool, now(), FILES_AT_ONCE)) {
      // Without the file storage, the files stay due.
      await store.remove(key);
      await forgetFile(pool, key);
    }
    await spool.sweep(clock.now());
    await deleteJobsBefore(pool, new Date(clock.now() - LISTED_MS));
  }

  return {
    register(kind) {
      kinds.set(kind.name, kind as unknown as JobKind);
    },
    order,
    async orderOfServer(tx, organizationId, job) {
      const { id } = await insertJob(tx, { ...job, accountId: null, organizationId, at: now() });
      return id;
    },
    permit: (caller, { kind, parameters }) =>
      permit(caller, { kind, parameters, organizationId: caller.organizationId }),
    open: async (id) => open(await findJob(pool, id)),
    mount(mount) {
      mount(listJobs, async ({ caller, language }) => ({
        items: (await listOwn(pool, caller.accountId, MAX_LISTED_JOBS)).map((row) => shown(row, language)),
      }));
      mount(cancelJob, async ({ caller, params }) => {
        if (await requestCancel(pool, caller.accountId, params.id, now())) return null;
        await own(caller, params.id);
        throw new AppError('job.ended');
      });
      mount(retryJob, async ({ caller, params }) => {
        const { kind, subject, parameters, state } = await own(caller, params.id);
        if (state === 'waiting' || state === 'running') throw new AppError('job.not_ended');
        return order(caller, { kind, subject, parameters: parameters as object });
      });
      mount(deleteJob, async ({ caller, params }) => {
        if (await transaction(pool, (tx) => deleteEnded(tx, caller.accountId, params.id))) return null;
        await own(caller, params.id);
        throw new AppError('job.not_ended');
      });
      mount(downloadJob, ({ caller, params }) => download(caller, params.id));
    },
    start(workPool) {
      const runner = createJobRunner({
        pool: workPool,
        clock,
        log,
        store,
        spool,
        kindOf: (name) => kinds.get(name),
        callerNow,
      });
      runner.start();
      nudge = runner.nudge;
      return runner.stop;
    },
    sweep,
    jobs: [{ name: 'job-files-sweep', cron: '*/10 * * * *', run: sweep }],
  };
}
