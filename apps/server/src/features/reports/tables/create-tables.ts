import {
  type DEVICE_REPORT_SORTS,
  getAlarmReport,
  getDeviceReport,
  getStatistics,
  orderAlarmReport,
  orderDeviceReport,
  orderStatistics,
  REPORT_PAGE_ROWS,
} from '@isotherm/contracts/table-reports';
import { pageOfRows, sortedRows } from '@isotherm/domain/reports/sorted-rows';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { z } from 'zod';
import type { Clock } from '../../../platform/clock.ts';
import type { Gate } from '../../../platform/gate.ts';
import { type Caller, ownerOf, type Person, personOf } from '../../../platform/http/caller.ts';
import type { Mount } from '../../../platform/http/mount.ts';
import type { ReportRegister } from '../../../platform/reports/reports.ts';
import type { JobContent, JobKind } from '../../../platform/result-jobs/job-kind.ts';
import type { ResultJobs } from '../../../platform/result-jobs/result-jobs.ts';
import type { ReportDocument } from '../report-document.ts';
import { writeDocument } from '../write-document.ts';
import { type AlarmReportData, alarmDocument, type DocumentInput } from './alarm-table.ts';
import { type DeviceReportData, deviceDocument, deviceSites, deviceTotals } from './device-table.ts';
import { computeStatistics, scopeBefore, statisticsBefore, statisticsDocument } from './statistics.ts';
import { type NamedScope, type TableAsked, tableScope } from './table-scope.ts';
import {
  type AlarmPage,
  countAlarmDays,
  type DeviceRow,
  listAlarmRows,
  listDeviceRows,
  sumAlarms,
  sumAlarmsBySite,
  sumDeviceDays,
  type TableScope,
} from './tables.repo.ts';

type Ordered = z.output<(typeof orderAlarmReport)['body']>;
type OrderedStatistics = z.output<(typeof orderStatistics)['body']>;
type Named = 'alarm-report' | 'device-report' | 'statistics-report';

/** Alarms that a file lists. */
const ALL_ALARMS: AlarmPage = { sort: 'raisedAt', order: 'desc', limit: 100_000, offset: 0 };

/** Values by which devices are sorted; equal ones stay in the order of the least complete first. */
const DEVICE_SORT: Record<(typeof DEVICE_REPORT_SORTS)[number], (row: DeviceRow) => string | number | null> =
  {
    completeness: ({ received, due }) => (due > 0 ? received / due : null),
    name: ({ name, number }) => name || number,
    model: ({ model }) => model || null,
    silentDays: ({ silentDays }) => silentDays,
    battery: ({ battery }) => battery,
    alarms: ({ alarms }) => alarms,
    expiresAt: ({ expiresAt }) => expiresAt?.getTime() ?? null,
  };

/** Registers the jobs and mounts the routes of the reports of alarms and devices (docs/reports.md). */
export function createTables(parts: {
  pool: pg.Pool;
  reportPool: pg.Pool;
  resultJobs: ResultJobs;
  register: Pick<ReportRegister, 'write'>;
  clock: Clock;
  translate: Translate;
  brand(): Promise<string>;
  /** Limits the reports that are computed for pages at the same time. */
  showing: Gate;
}): { mount(mount: Mount): void } {
  const { pool, reportPool, resultJobs, clock, translate, showing } = parts;

  const alarms = async (
    db: pg.Pool,
    scope: TableScope,
    zone: string,
    page: AlarmPage,
  ): Promise<AlarmReportData> => ({
    sums: await sumAlarms(db, scope),
    sites: await sumAlarmsBySite(db, scope),
    days: await countAlarmDays(db, scope, zone),
    rows: await listAlarmRows(db, scope, page),
  });
  const devices = async (db: pg.Pool, scope: TableScope): Promise<DeviceReportData> => ({
    rows: await listDeviceRows(db, scope),
    days: await sumDeviceDays(db, scope),
  });

  const check = (caller: Caller, asked: TableAsked) => tableScope(pool, caller, asked);

  function register<O extends Ordered | OrderedStatistics>(
    name: Named,
    kind: 'alarms' | 'devices' | 'statistics',
    route: { access: JobKind['permission']; body: z.ZodType<O> },
    documentOf: (scope: NamedScope, asked: O, input: DocumentInput) => Promise<ReportDocument>,
  ): void {
    async function content(caller: Caller, asked: O): Promise<JobContent> {
      const { zone, format } = asked;
      const scope = await tableScope(reportPool, caller, asked);
      const about = {
        zone,
        language: caller.language,
        by: caller.realname || caller.username,
        at: new Date(clock.now()),
      };
      return writeDocument(parts, caller, await documentOf(scope, asked, { scope, ...about }), {
        ...about,
        format,
        range: { from: scope.from.getTime(), to: scope.to.getTime() },
        fileName: kind,
        kind,
        object: { ...scope.object, objectName: scope.name, organizationPath: caller.scope },
      });
    }
    resultJobs.register<O>({
      name,
      permission: route.access,
      parameters: route.body,
      check,
      run: (caller, asked, work) => {
        work.signal.throwIfAborted();
        return content(caller, asked);
      },
    });
  }
  register<Ordered>('alarm-report', 'alarms', orderAlarmReport, async (scope, { zone }, input) =>
    alarmDocument(await alarms(reportPool, scope, zone, ALL_ALARMS), input, translate),
  );
  register<Ordered>('device-report', 'devices', orderDeviceReport, async (scope, _asked, input) =>
    deviceDocument(await devices(reportPool, scope), input, translate),
  );
  register<OrderedStatistics>(
    'statistics-report',
    'statistics',
    orderStatistics,
    async (scope, { group, zone }, input) =>
      statisticsDocument(
        await computeStatistics(reportPool, scope, group, zone),
        await statisticsBefore(reportPool, scopeBefore(scope), group, zone),
        group,
        input,
        translate,
      ),
  );

  async function order(caller: Person, kind: Named, parameters: Ordered | OrderedStatistics) {
    const { name } = await check(caller, parameters);
    return resultJobs.order(caller, { kind, subject: name, parameters });
  }

  return {
    mount(mount) {
      mount(getAlarmReport, ({ caller, query }) =>
        showing.pass(async () => {
          const scope = await check(caller, query);
          const { sums, sites, days, rows } = await alarms(pool, scope, query.zone, {
            sort: query.sort,
            order: query.order ?? 'desc',
            limit: REPORT_PAGE_ROWS,
            offset: (query.page - 1) * REPORT_PAGE_ROWS,
          });
          return {
            ...rangeOf(scope),
            ...sums,
            days,
            sites,
            rows: rows.map((row) => ({
              ...row,
              raisedAt: row.raisedAt.toISOString(),
              endedAt: row.endedAt?.toISOString() ?? null,
              acknowledgedAt: row.acknowledgedAt?.toISOString() ?? null,
            })),
          };
        }, ownerOf(caller)),
      );
      mount(getDeviceReport, ({ caller, query }) =>
        showing.pass(async () => {
          const scope = await check(caller, query);
          const { rows, days } = await devices(pool, scope);
          const sites = deviceSites(rows);
          return {
            ...rangeOf(scope),
            ...deviceTotals(sites),
            total: rows.length,
            days,
            sites,
            rows: pageOfRows(
              sortedRows(rows, DEVICE_SORT[query.sort], query.order ?? 'asc'),
              query.page,
              REPORT_PAGE_ROWS,
            ).map(({ siteId: _, expiresAt, ...row }) => ({
              ...row,
              expiresAt: expiresAt?.toISOString() ?? null,
            })),
          };
        }, ownerOf(caller)),
      );
      mount(getStatistics, ({ caller, query }) =>
        showing.pass(async () => {
          const scope = await check(caller, query);
          const [now, before] = [scope, scopeBefore(scope)];
          return {
            ...rangeOf(now),
            ...(await computeStatistics(pool, now, query.group, query.zone)),
            before: {
              ...rangeOf(before),
              ...(await statisticsBefore(pool, before, query.group, query.zone)),
            },
          };
        }, ownerOf(caller)),
      );
      mount(orderStatistics, ({ caller, body }) => order(personOf(caller), 'statistics-report', body));
      mount(orderAlarmReport, ({ caller, body }) => order(personOf(caller), 'alarm-report', body));
      mount(orderDeviceReport, ({ caller, body }) => order(personOf(caller), 'device-report', body));
    },
  };
}

const rangeOf = ({ from, to }: TableScope) => ({ from: from.toISOString(), to: to.toISOString() });
