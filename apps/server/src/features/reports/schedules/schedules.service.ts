import { AppError, type ErrorCode } from '@isotherm/contracts/errors';
import {
  createReportSchedule,
  deleteReportSchedule,
  downloadMailedReport,
  editReportSchedule,
  getReportSchedule,
  listReportRuns,
  listReportSchedules,
  type ReportRun,
  type ReportSchedule,
  type ReportScheduleInput,
  runReportSchedule,
} from '@isotherm/contracts/report-schedules';
import { nextReport, reportedPeriod } from '@isotherm/domain/reports/report-schedule';
import type { Language } from '@isotherm/i18n/languages';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { Audit } from '../../../platform/audit/audit.ts';
import { createKeptRecords } from '../../../platform/audit/kept-records.ts';
import type { Clock } from '../../../platform/clock.ts';
import { type Db, transaction } from '../../../platform/db/pool.ts';
import { type Caller, type Person, personOf } from '../../../platform/http/caller.ts';
import { wordError } from '../../../platform/http/error-words.ts';
import type { Mount } from '../../../platform/http/mount.ts';
import type { Messages } from '../../../platform/messages/messages.ts';
import type { FindLink } from '../../../platform/public-links/public-links.ts';
import type { ResultJobs } from '../../../platform/result-jobs/result-jobs.ts';
import { addRuns, findJobOf } from './runs.repo.ts';
import { orderOf } from './scheduled-kinds.ts';
import {
  deleteSchedule,
  findSchedule,
  findZone,
  insertSchedule,
  isStarted,
  listRunRows,
  listScheduleRows,
  lockSchedule,
  type RunRow,
  type ScheduleFields,
  type ScheduleRow,
  updateSchedule,
} from './schedules.repo.ts';

export interface SchedulesParts {
  pool: pg.Pool;
  audit: Pick<Audit, 'record'>;
  clock: Clock;
  translate: Translate;
  messages: Pick<Messages, 'canDeliver' | 'enqueueAll'>;
  resultJobs: Pick<ResultJobs, 'order' | 'permit' | 'open'>;
  findLink: FindLink;
  /** Makes the reports that are due, in this process soon. */
  nudge(): void;
}

/** Mounts the routes of scheduled reports: each change with an audit entry. */
export function mountSchedules(mount: Mount, parts: SchedulesParts): void {
  const { pool, audit, clock, translate, messages, resultJobs, findLink, nudge } = parts;

  async function find(db: Db, caller: Caller, id: number): Promise<ScheduleRow> {
    const row = await findSchedule(db, caller.scope, id);
    if (!row) throw new AppError('report_schedule.not_found');
    return row;
  }

  const records = createKeptRecords<ScheduleRow>(pool, audit, {
    find,
    lock: lockSchedule,
    objectOf,
    fieldsOf,
    taken: { constraint: 'report_schedule_name', code: 'report_schedule.taken' },
  });

  /**
   * The reports have the rights of the caller, who must be allowed to order such a report now. This needs a connection of its
   * own and is therefore checked before the transaction.
   */
  async function checked(caller: Person, form: ReportScheduleInput): Promise<ScheduleFields> {
    const timeZone = await findZone(pool, caller.scope, form.organizationId);
    if (timeZone === null) throw new AppError('organization.not_found');
    const now = clock.now();
    await resultJobs.permit(caller, orderOf(form, reportedPeriod(form.interval, now, timeZone), timeZone));
    return {
      ...form,
      // An address that was entered twice gets one e-mail.
      recipients: [...new Map(form.recipients.map((each) => [each.toLowerCase(), each])).values()],
      ownerId: caller.accountId,
      dueAt: form.enabled ? new Date(nextReport({ ...form, timeZone }, now)) : null,
      changedBy: caller.username,
      changedAt: new Date(now),
    };
  }

  async function start(caller: Person, id: number): Promise<null> {
    await transaction(pool, async (tx) => {
      await lockSchedule(tx, id);
      const schedule = await find(tx, caller, id);
      if (await isStarted(tx, id)) throw new AppError('report_schedule.running');
      const now = clock.now();
      const { from, to } = reportedPeriod(schedule.interval, now, schedule.timeZone);
      await addRuns(tx, [
        {
          scheduleId: id,
          dueAt: new Date(now),
          startedBy: caller.username,
          from: new Date(from),
          to: new Date(to),
        },
      ]);
      await audit.record(tx, caller, {
        action: 'export',
        ...objectOf(schedule),
        after: { recipients: schedule.recipients },
      });
    });
    nudge();
    return null;
  }

  function runOf({ errorValues, ...row }: RunRow, language: Language): ReportRun {
    return {
      ...row,
      dueAt: row.dueAt.toISOString(),
      from: row.from.toISOString(),
      to: row.to.toISOString(),
      endedAt: row.endedAt?.toISOString() ?? null,
      error:
        row.error &&
        wordError({ code: row.error as ErrorCode, params: errorValues ?? {} }, language, translate),
    };
  }

  mount(listReportSchedules, async ({ caller, query: { page, pageSize, sort, order, ...filter } }) => {
    const limit = { sort, order, limit: pageSize, offset: (page - 1) * pageSize };
    const { rows, total } = await listScheduleRows(pool, caller.scope, filter, limit);
    return { items: rows.map(viewOf), total, canDeliver: messages.canDeliver('email') };
  });
  mount(getReportSchedule, async ({ caller, params }) => viewOf(await find(pool, caller, params.id)));
  mount(createReportSchedule, async ({ caller, body }) => {
    const fields = await checked(personOf(caller), body);
    return viewOf(await records.create(caller, (tx) => insertSchedule(tx, fields)));
  });
  mount(editReportSchedule, async ({ caller, params: { id }, body }) => {
    await find(pool, caller, id);
    const fields = await checked(personOf(caller), body);
    return viewOf(await records.change(caller, id, (tx) => updateSchedule(tx, id, fields)));
  });
  mount(deleteReportSchedule, ({ caller, params, body }) =>
    records.remove(caller, params.id, body.reason, (tx) => deleteSchedule(tx, params.id)),
  );
  mount(runReportSchedule, ({ caller, params }) => start(personOf(caller), params.id));
  mount(listReportRuns, async ({ caller, params, query: { page, pageSize }, language }) => {
    await find(pool, caller, params.id);
    const { rows, total } = await listRunRows(pool, params.id, {
      limit: pageSize,
      offset: (page - 1) * pageSize,
    });
    return { items: rows.map((row) => runOf(row, language)), total };
  });
  mount(downloadMailedReport, async ({ params, address }) => {
    const link = await findLink('report-file', params.token, address);
    if (!link) throw new AppError('link.not_found');
    const jobId = await findJobOf(pool, link.subjectId);
    if (jobId === null) throw new AppError('job.no_file');
    return resultJobs.open(jobId);
  });
}

function viewOf({
  organizationPath: _,
  ownerName: __,
  dueAt,
  changedAt,
  ...row
}: ScheduleRow): ReportSchedule {
  return { ...row, dueAt: dueAt?.toISOString() ?? null, changedAt: changedAt.toISOString() };
}

const objectOf = ({ id, name, organizationPath }: ScheduleRow) => ({
  objectKind: 'report-schedule',
  objectId: id,
  objectName: name,
  organizationPath,
});

const fieldsOf = (row: ScheduleRow) => ({
  name: row.name,
  organization: row.organizationName,
  kind: row.kind,
  assets: row.assets.length,
  pack: row.pack,
  format: row.format,
  interval: row.interval,
  weekday: row.weekday,
  monthDay: row.monthDay,
  at: row.at,
  recipients: row.recipients,
  language: row.language,
  enabled: row.enabled,
  owner: row.ownerName,
});
