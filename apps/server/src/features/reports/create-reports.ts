import { setImmediate } from 'node:timers/promises';
import { AppError } from '@isotherm/contracts/errors';
import {
  getRecordReport,
  orderRecordReport,
  type RecordDay,
  type ReportFormat,
  SHOWN_CHANNELS,
} from '@isotherm/contracts/reports';
import type { ResponseOf } from '@isotherm/contracts/route';
import type { DayRecord } from '@isotherm/domain/reports/day-records';
import type { Language } from '@isotherm/i18n/languages';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../platform/audit/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import { createGate } from '../../platform/gate.ts';
import { type Caller, ownerOf, personOf } from '../../platform/http/caller.ts';
import type { Mount } from '../../platform/http/mount.ts';
import type { Job as ScheduledJob } from '../../platform/jobs/jobs.ts';
import type { Logger } from '../../platform/log.ts';
import type { Messages } from '../../platform/messages/messages.ts';
import type { FindLink, PublicLinks } from '../../platform/public-links/public-links.ts';
import type { ReportRegister } from '../../platform/reports/reports.ts';
import type { JobContent, JobWork } from '../../platform/result-jobs/job-kind.ts';
import type { ResultJobs } from '../../platform/result-jobs/result-jobs.ts';
import type { Sealing } from '../../platform/sealing.ts';
import { streamWorkbook } from '../../platform/sheets/workbook-stream.ts';
import type { BackupAlarms } from '../alarms/index.ts';
import { type ExportService, subjectOf } from '../telemetry/index.ts';
import { createBackupKind } from './backups/backup-kind.ts';
import { createBackupNotices } from './backups/backup-notices.ts';
import { type BackupParts, mountBackups, permitBackup, resumeBackups } from './backups/backups.service.ts';
import { createCompliance } from './compliance/create-compliance.ts';
import { CHART_POINTS } from './record-charts.ts';
import { recordCsv, recordSheets } from './record-files.ts';
import { MOST_EXCURSIONS, recordPaper } from './record-paper.ts';
import {
  insideOf,
  type ReportedChannel,
  type ReportRange,
  reportAssets,
  reportChannels,
  reportRange,
  type SummaryRow,
  summarize,
  withLimits,
} from './record-report.ts';
import { minuteRows } from './record-rows.ts';
import { createReportWords, type ReportInput } from './record-words.ts';
import { createReleaseKind } from './release/release-kind.ts';
import { createReleaseRunner } from './release/release-runner.ts';
import { findExcursions } from './reports.repo.ts';
import { mountDailyReviews, reviewsOf } from './reviews/daily-reviews.ts';
import { createScheduleRunner } from './schedules/schedule-runner.ts';
import { mountSchedules } from './schedules/schedules.service.ts';
import { createTables } from './tables/create-tables.ts';
import { daysOf, MEDIA_TYPES } from './write-document.ts';

type Ordered = z.output<(typeof orderRecordReport)['body']>;
type Shown = ResponseOf<typeof getRecordReport>;

/** Reports that are computed for pages at the same time: each holds some readings in memory. */
const SHOWING = { atOnce: 2, waiting: 20, ofOne: { atOnce: 1, waiting: 3 } };
/** Share of the progress of a file in which the summary is computed. */
const SUMMARY_PART = 0.3;

export interface Reports {
  mount(mount: Mount): void;
  /** Makes scheduled reports in this process; the returned function stops it. */
  start(): () => Promise<void>;
  jobs: readonly ScheduledJob[];
}

/** Reports of records: a summary for the page, and files as jobs (docs/reports.md). */
export function createReports(parts: {
  pool: pg.Pool;
  /** Own connections of long work. */
  reportPool: pg.Pool;
  resultJobs: ResultJobs;
  /** Numbers and registers the PDF files. */
  register: Pick<ReportRegister, 'write'>;
  clock: Clock;
  translate: Translate;
  /** Returns the product name of the installation. */
  brand(): Promise<string>;
  audit: Pick<Audit, 'record' | 'recordAlone'>;
  sealing: Pick<Sealing, 'mac'>;
  premiumOf: BackupParts['premiumOf'];
  /** Tells other parts of the program that readings of these channels are gone. */
  forgetChannels(channelIds: readonly number[]): void;
  /** Readings as CSV for archives. */
  readings: ExportService['archive'];
  /** Alarms about failed backups of data. */
  backupAlarms: BackupAlarms;
  log: Logger;
  messages: Pick<Messages, 'canDeliver' | 'enqueueAll'>;
  links: Pick<PublicLinks, 'create'>;
  findLink: FindLink;
  callerNow(username: string, language: Language): Promise<Caller | null>;
  /** Address of the console; null if it is not known. */
  consoleUrl: string | null;
}): Reports {
  const { pool, reportPool, resultJobs, register, clock, translate } = parts;
  const showing = createGate(SHOWING, () => new AppError('request.too_many'));

  async function show(caller: Caller, query: z.output<(typeof getRecordReport)['query']>): Promise<Shown> {
    const range = reportRange(query);
    const assets = await reportAssets(pool, caller, query.assets);
    const channels = await reportChannels(pool, assets, range);
    const now = clock.now();
    const rows = await summarize(
      pool,
      channels.slice(0, SHOWN_CHANNELS),
      range,
      now,
      async () => void (await setImmediate()),
      { days: true },
    );
    return {
      from: new Date(range.from).toISOString(),
      to: new Date(range.to).toISOString(),
      total: channels.length,
      rows: rows.map((row) => shownRow(row, now)),
    };
  }

  async function content(caller: Caller, asked: Ordered, work: JobWork): Promise<JobContent> {
    const range = reportRange(asked);
    const assets = await reportAssets(reportPool, caller, asked.assets);
    const channels = await reportChannels(reportPool, assets, range);
    const now = clock.now();
    const isCsv = asked.format === 'csv';
    const earlierFrom = isCsv ? undefined : asked.earlierFrom;
    const shares = earlierFrom === undefined ? 1 : 2;
    const between = (done: number) => async (part: number) => {
      work.signal.throwIfAborted();
      work.progress(((done + part) / shares) * SUMMARY_PART);
      await setImmediate();
    };
    const points = asked.format === 'pdf' ? CHART_POINTS : 0;
    const rows = await summarize(reportPool, channels, range, now, between(0), {
      days: !isCsv,
      points,
    });
    const earlier =
      earlierFrom === undefined
        ? null
        : await earlierOf(channels, range, Date.parse(earlierFrom), now, between(1));
    const input: ReportInput = {
      assets,
      rows,
      reviews: isCsv ? [] : await reviewsOf(reportPool, channels, range),
      earlier,
      range,
      zone: asked.zone,
      language: caller.language,
      by: caller.realname || caller.username,
      at: new Date(now),
    };
    const body = await bodyOf(caller, asked.format, input, channels, work);
    return {
      fileName: `records-${daysOf(range, asked.zone)}.${asked.format}`,
      mediaType: MEDIA_TYPES[asked.format],
      body,
    };
  }

  /** Statistics of the same channels in an earlier range of the same length. */
  async function earlierOf(
    channels: readonly ReportedChannel[],
    { from, to }: ReportRange,
    earlierFrom: number,
    now: number,
    between: (part: number) => Promise<void>,
  ): Promise<NonNullable<ReportInput['earlier']>> {
    const range = { from: earlierFrom, to: earlierFrom + to - from };
    const same = await withLimits(reportPool, channels, range);
    return { range, rows: await summarize(reportPool, same, range, now, between) };
  }

  async function bodyOf(
    caller: Caller,
    format: ReportFormat,
    input: ReportInput,
    channels: readonly ReportedChannel[],
    work: JobWork,
  ): Promise<AsyncIterable<Uint8Array>> {
    const words = createReportWords(input, translate);
    if (format === 'pdf') return paper(caller, input, channels);
    const readings = minuteRows(reportPool, channels, input.range, (part) =>
      work.progress(SUMMARY_PART + part * (1 - SUMMARY_PART)),
    );
    return format === 'csv'
      ? recordCsv(input, words, readings)
      : streamWorkbook(recordSheets(input, words, readings));
  }

  async function* paper(
    caller: Caller,
    input: ReportInput,
    channels: readonly ReportedChannel[],
  ): AsyncGenerator<Uint8Array> {
    const { from, to } = input.range;
    const excursions = await findExcursions(
      reportPool,
      channels.map(({ id }) => id),
      new Date(from),
      new Date(to),
      MOST_EXCURSIONS + 1,
    );
    const words = createReportWords(input, translate);
    const [first] = input.assets;
    if (!first) return;
    yield await register.write(caller, async () => ({
      document: recordPaper(input, words, excursions, await parts.brand()),
      entry: {
        kind: 'records',
        organizationId: caller.organizationId,
        object: {
          objectKind: 'asset',
          objectId: first.id,
          objectName: subjectOf(input.assets.map(({ name }) => name)),
          organizationPath: caller.scope,
        },
      },
    }));
  }

  const check = async (caller: Caller, asked: Pick<Ordered, 'assets' | 'from' | 'to'>) => {
    reportRange(asked);
    return reportAssets(pool, caller, asked.assets);
  };

  resultJobs.register({
    name: 'record-report',
    permission: orderRecordReport.access,
    parameters: orderRecordReport.body,
    check,
    run: content,
  });

  const compliance = createCompliance({ ...parts, showing });
  const tables = createTables({ ...parts, showing });
  resultJobs.register(createBackupKind(parts));
  resultJobs.register(createReleaseKind(parts));
  const releases = createReleaseRunner(parts);
  const runner = createScheduleRunner({
    ...parts,
    backups: {
      permit: (run) => permitBackup(parts, run),
      ...createBackupNotices({ ...parts, alarms: parts.backupAlarms }),
    },
  });

  return {
    start() {
      runner.start();
      releases.start();
      return async () => {
        await Promise.all([runner.stop(), releases.stop()]);
      };
    },
    jobs: [
      ...runner.jobs,
      ...releases.jobs,
      { name: 'backups-resume', cron: '*/10 * * * *', run: () => resumeBackups(parts) },
    ],
    mount(mount) {
      compliance.mount(mount);
      tables.mount(mount);
      mountSchedules(mount, { ...parts, nudge: runner.nudge });
      mountBackups(mount, { ...parts, nudge: runner.nudge });
      mountDailyReviews(mount, { ...parts, showing });
      mount(getRecordReport, ({ caller, query }) => showing.pass(() => show(caller, query), ownerOf(caller)));
      mount(orderRecordReport, async ({ caller, body }) => {
        const assets = await check(caller, body);
        return resultJobs.order(personOf(caller), {
          kind: 'record-report',
          subject: subjectOf(assets.map(({ name }) => name)),
          parameters: body,
        });
      });
    },
  };
}

const isoOf = (at: number) => new Date(at).toISOString();
const finite = (limit: number | undefined) => (limit !== undefined && Number.isFinite(limit) ? limit : null);

function shownRow(row: SummaryRow, now: number): Shown['rows'][number] {
  const { channel, statistics, coverage, outsideMs, meanKinetic, days } = row;
  const limits = channel.spans.at(-1);
  return {
    channelId: channel.id,
    assetId: channel.assetId,
    asset: channel.asset,
    code: channel.code,
    channel: channel.name,
    indicator: channel.indicator,
    count: statistics?.count ?? 0,
    min: statistics?.min ?? null,
    minAt: statistics && isoOf(statistics.minAt),
    max: statistics?.max ?? null,
    maxAt: statistics && isoOf(statistics.maxAt),
    mean: statistics?.mean ?? null,
    meanKinetic,
    coverage,
    outsideMs: outsideMs === null ? null : Math.round(outsideMs),
    inside: insideOf(row),
    low: finite(limits?.low),
    high: finite(limits?.high),
    zone: channel.zone,
    days: days.filter(({ from }) => from < now).map((day) => shownDay(day, now)),
  };
}

function shownDay({ from, to, minAt, maxAt, coveredMs, ...day }: DayRecord, now: number): RecordDay {
  return {
    ...day,
    from: isoOf(from),
    to: isoOf(to),
    minAt: minAt === null ? null : isoOf(minAt),
    maxAt: maxAt === null ? null : isoOf(maxAt),
    coverage: Math.min(1, coveredMs / (Math.min(to, now) - from)),
    inside: day.outsideMs === null || coveredMs === 0 ? null : 1 - day.outsideMs / coveredMs,
  };
}
