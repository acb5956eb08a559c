import { setImmediate } from 'node:timers/promises';
import { BACKUP_PAUSE_REASONS } from '@isotherm/contracts/backups';
import { AppError } from '@isotherm/contracts/errors';
import { JOB_FILE_DAYS } from '@isotherm/contracts/jobs';
import { MAX_MAILED_BYTES, PAUSE_REASONS } from '@isotherm/contracts/report-schedules';
import { nextReport, reportedPeriod } from '@isotherm/domain/reports/report-schedule';
import type { Language } from '@isotherm/i18n/languages';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { Clock } from '../../../platform/clock.ts';
import { type AfterCommit, NOTHING_AFTER_COMMIT, type Tx, transaction } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import type { Job } from '../../../platform/jobs/jobs.ts';
import { momentFormat } from '../../../platform/local-time.ts';
import type { Logger } from '../../../platform/log.ts';
import type { Messages, NewMessage } from '../../../platform/messages/messages.ts';
import type { PublicLinks } from '../../../platform/public-links/public-links.ts';
import type { ResultJobs } from '../../../platform/result-jobs/result-jobs.ts';
import { createWorkLine } from '../../../platform/work-line.ts';
import {
  addRuns,
  claimDue,
  claimEnded,
  deleteRunsBefore,
  type EndedRun,
  endSent,
  failRun,
  isAnythingToDo,
  listWaiting,
  noteOrdered,
  pauseSchedule,
  type RunError,
  type WaitingRun,
} from './runs.repo.ts';
import { backupOrderOf, orderOf } from './scheduled-kinds.ts';

const DAY_MS = 86_400_000;
const LOOK_EVERY_MS = 2_000;
/** While reports are made, the next ones are ordered as soon as some have ended. */
const LOOK_WHILE_BUSY_MS = 200;
/** Schedules that are claimed in one transaction. */
const CLAIMED = 200;
/**
 * Reports that are ordered and not finished, in all processes together and of one owner. Further ones wait, so that
 * thousands that are due at midnight are spread over the night.
 */
const ORDERED = { together: 20, ofOwner: 5 };
/** Shorter than messages are kept, so that each listed report has the outcome of its e-mails. */
const KEPT_MS = 80 * DAY_MS;
/** E-mails are retried for this time, shorter than their files are kept. */
const MAILED_WITHIN_MS = 2 * DAY_MS;

/** A report that its owner may not have will fail each time. */
const PAUSING: readonly string[] = [...PAUSE_REASONS, ...BACKUP_PAUSE_REASONS];

/** Another worker has ordered the report meanwhile. */
class Taken extends Error {}

export interface RunnerParts {
  pool: pg.Pool;
  clock: Clock;
  log: Logger;
  translate: Translate;
  messages: Pick<Messages, 'canDeliver' | 'enqueueAll'>;
  resultJobs: Pick<ResultJobs, 'order'>;
  links: Pick<PublicLinks, 'create'>;
  callerNow(username: string, language: Language): Promise<Caller | null>;
  /** Address of the console; null if it is not known, so that no link can be sent. */
  consoleUrl: string | null;
  /** What backups need besides. */
  backups: {
    /** Throws if the organisation may not make this backup now. */
    permit(run: WaitingRun): Promise<void>;
    /** Called in the transaction that records a failed report or backup. */
    failed(tx: Tx, runId: number, error: RunError): Promise<AfterCommit>;
    /** Called in the transaction that records that a backup was made. */
    made(tx: Tx, scheduleId: number): Promise<AfterCommit>;
  };
}

export interface ScheduleRunner {
  /** Looks for reports regularly. */
  start(): void;
  /** Looks at once. */
  nudge(): void;
  /** Looks once; resolves when nothing more can be done now. */
  look(): Promise<void>;
  stop(): Promise<void>;
  jobs: readonly Job[];
}

/**
 * Makes scheduled reports. Each goes through states in the database, `waiting` → `running` → `sent`, and each step is one
 * transaction that changes the state: several processes may look at the same time, and one that is killed repeats nothing.
 */
export function createScheduleRunner(parts: RunnerParts): ScheduleRunner {
  const { pool, clock, log, translate, messages, resultJobs, links, consoleUrl } = parts;
  const now = () => new Date(clock.now());
  let timer: NodeJS.Timeout | undefined;
  let isStopping = false;
  /** Times of `performance.now()`, which a change of the clock does not move. */
  let busyUntil = 0;
  let nextLookAt = 0;

  const line = createWorkLine(look, (error) =>
    log.warn({ error: error.message }, 'scheduled reports were not looked for'),
  );

  async function look(): Promise<void> {
    if (!(await isAnythingToDo(pool, now()))) return;
    await claimAll();
    const ended = await endAll();
    const ordered = await orderAll();
    if (ended + ordered > 0) busyUntil = performance.now() + LOOK_EVERY_MS;
  }

  async function claimAll(): Promise<void> {
    while (!isStopping && (await transaction(pool, claimSome)) === CLAIMED) await setImmediate();
  }

  /** Adds the reports that are due. If several times of a schedule were missed, only the first of them has a report. */
  async function claimSome(tx: Tx): Promise<number> {
    const due = await claimDue(tx, now(), CLAIMED);
    await addRuns(
      tx,
      due.map((schedule) => {
        const { from, to } = reportedPeriod(schedule.interval, schedule.dueAt.getTime(), schedule.timeZone);
        return {
          scheduleId: schedule.id,
          dueAt: schedule.dueAt,
          startedBy: '',
          from: new Date(from),
          to: new Date(to),
          nextAt: new Date(nextReport(schedule, clock.now())),
        };
      }),
    );
    return due.length;
  }

  /** Returns how many reports were ordered. */
  async function orderAll(): Promise<number> {
    let ordered = 0;
    for (const run of await listWaiting(pool, ORDERED)) {
      if (isStopping) break;
      if (await order(run)) ordered++;
    }
    return ordered;
  }

  async function order(run: WaitingRun): Promise<boolean> {
    try {
      const owner = run.ownerName === null ? null : await parts.callerNow(run.ownerName, run.language);
      if (owner === null || owner.accountId === null) throw new AppError('job.forbidden');
      const period = { from: run.from.getTime(), to: run.to.getTime() };
      if (run.kind === 'data-backup') await parts.backups.permit(run);
      await resultJobs.order(
        { ...owner, accountId: owner.accountId },
        run.kind === 'data-backup'
          ? backupOrderOf(run, period, run.timeZone)
          : orderOf({ ...run, kind: run.kind }, period, run.timeZone),
        async (tx, jobId) => {
          if (!(await noteOrdered(tx, run.id, jobId))) throw new Taken();
        },
      );
      return true;
    } catch (error) {
      if (error instanceof Taken) return false;
      if (!(error instanceof AppError)) throw error;
      // If there are too many, it is tried again when downloads of the owner have ended.
      if (error.code !== 'job.too_many') await fail(run, error.code, error.params);
      return false;
    }
  }

  async function fail(
    { id, scheduleId }: Pick<WaitingRun, 'id' | 'scheduleId'>,
    code: string,
    values: object,
  ): Promise<void> {
    const afterCommit = await transaction(pool, (tx) => failIn(tx, { id, scheduleId }, code, values));
    afterCommit();
  }

  /** A report that the owner may not have will fail each time, therefore its schedule is paused. */
  async function failIn(
    tx: Tx,
    { id, scheduleId }: Pick<WaitingRun, 'id' | 'scheduleId'>,
    code: string,
    values: object,
  ): Promise<AfterCommit> {
    const error = { code, values: values as Record<string, unknown> };
    if (!(await failRun(tx, id, error, now()))) return NOTHING_AFTER_COMMIT;
    if (PAUSING.includes(code)) await pauseSchedule(tx, scheduleId, code);
    return parts.backups.failed(tx, id, error);
  }

  /** Returns how many reports have ended. */
  async function endAll(): Promise<number> {
    let ended = 0;
    while (!isStopping) {
      const afterCommit = await transaction(pool, endOne);
      if (!afterCommit) break;
      ended++;
      afterCommit();
      await setImmediate();
    }
    return ended;
  }

  /** Ends a report whose job has ended; null if there is none. */
  async function endOne(tx: Tx): Promise<AfterCommit | null> {
    const run = await claimEnded(tx);
    if (!run) return null;
    const { state, fileKey, fileName, mediaType, bytes } = run;
    if (state !== 'done' || fileKey === null || fileName === null || mediaType === null || bytes === null)
      return failIn(
        tx,
        run,
        run.error ?? (state === 'cancelled' ? 'job.cancelled' : 'job.no_file'),
        run.errorValues ?? {},
      );
    // A backup is there without an e-mail, too.
    if (run.kind !== 'data-backup' && !messages.canDeliver('email'))
      return failIn(tx, run, 'message.no_transport', { channel: 'email' });
    return send(tx, run, { key: fileKey, fileName, mediaType, bytes });
  }

  async function send(
    tx: Tx,
    run: EndedRun,
    file: { key: string; fileName: string; mediaType: string; bytes: number },
  ): Promise<AfterCommit> {
    const isBackup = run.kind === 'data-backup';
    const isLinked = isBackup || file.bytes > MAX_MAILED_BYTES;
    const at = clock.now();
    if (!isBackup && isLinked && consoleUrl === null)
      return failIn(tx, run, 'report_schedule.no_address', {});
    const token =
      isLinked && consoleUrl !== null
        ? await links.create(
            tx,
            {
              purpose: 'report-file',
              subjectId: run.id,
              person: null,
              lifeMs: JOB_FILE_DAYS * DAY_MS,
              mostUses: null,
              sentBy: '',
            },
            at,
          )
        : null;
    const format = momentFormat(run.language, run.timeZone, 'medium', 'short');
    const letter: Omit<NewMessage, 'recipient'> = {
      channel: 'email',
      template: isBackup ? 'data-backup' : 'scheduled-report',
      params: {
        name: run.name,
        report: translate(run.language, `jobs.kind.${run.kind}`),
        organization: run.organizationName,
        from: format.format(run.from),
        to: format.format(run.to),
        zone: run.timeZone,
        file: file.fileName,
        delivery: isLinked ? 'link' : 'file',
        link: token === null ? '' : `${consoleUrl}/api/report-file/${token}`,
        days: JOB_FILE_DAYS,
        hasLink: token === null ? 'no' : 'yes',
        hash: run.hash ?? '',
      },
      language: run.language,
      organizationId: run.organizationId,
      expiresAt: new Date(at + MAILED_WITHIN_MS),
      ...(isLinked ? {} : { attachment: file }),
    };
    const recipients = messages.canDeliver('email') ? run.recipients : [];
    const ids = await messages.enqueueAll(
      tx,
      recipients.map((recipient) => ({ ...letter, recipient })),
    );
    const mails = recipients.map((recipient, index) => ({ recipient, messageId: ids[index] as number }));
    const { fileName, bytes } = file;
    const { hash, expiresAt } = run;
    await endSent(tx, run.id, { fileName, bytes, hash, expiresAt, isLinked }, mails, new Date(at));
    return isBackup ? parts.backups.made(tx, run.scheduleId) : NOTHING_AFTER_COMMIT;
  }

  function nudge(): void {
    if (isStopping || !timer) return;
    line.begin();
  }

  return {
    start() {
      timer = setInterval(() => {
        const at = performance.now();
        if (at < nextLookAt && at >= busyUntil) return;
        nextLookAt = at + LOOK_EVERY_MS;
        nudge();
      }, LOOK_WHILE_BUSY_MS);
      nudge();
    },
    nudge,
    look,
    async stop() {
      isStopping = true;
      clearInterval(timer);
      await line.ended();
    },
    jobs: [
      {
        name: 'report-runs-prune',
        cron: '40 2 * * *',
        run: () => deleteRunsBefore(pool, new Date(clock.now() - KEPT_MS)),
      },
    ],
  };
}
