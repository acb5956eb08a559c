import {
  type AlarmAnalysis,
  type analyzeAlarms,
  type exportAlarmHistory,
  type listAlarmHistory,
  MAX_HISTORY,
  MAX_HISTORY_DAYS,
} from '@isotherm/contracts/alarm-history';
import type { Alarm } from '@isotherm/contracts/alarms';
import type { sheetExport } from '@isotherm/contracts/batches';
import { AppError } from '@isotherm/contracts/errors';
import type { Language } from '@isotherm/i18n/languages';
import { systemNamesLike } from '@isotherm/i18n/system-names';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import { transaction } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import { mapInPortions } from '../../../platform/portions.ts';
import type { JobContent } from '../../../platform/result-jobs/job-kind.ts';
import { type StreamSheet, streamWorkbook, XLSX } from '../../../platform/sheets/workbook-stream.ts';
import { findOrganizationPath } from '../../identity/index.ts';
import { alarmSheet, exportAlarmSheet, type ListSignatures } from '../alarm-sheet.ts';
import { findAlarmsById } from '../alarm-view.repo.ts';
import { findOrganizations } from '../organizations.repo.ts';
import { arrangeAnalysis, partsOf, stepDaysOf, stepsOf, worstAssets } from './analysis.ts';
import {
  countByAspects,
  countHistory,
  countPeriod,
  findAssetNames,
  findHistoryIds,
  findSearched,
  type HistoryFilter,
  slotSeconds,
} from './history.repo.ts';

type ListQuery = z.output<(typeof listAlarmHistory)['query']>;
type ExportQuery = z.output<(typeof exportAlarmHistory)['query']>;
type AnalysisQuery = z.output<(typeof analyzeAlarms)['query']>;

const DAY_MS = 86_400_000;
const USUAL_DAYS = 90;
const FILE = 'alarm-history.xlsx';
/** Number of alarms that a job reads at a time. */
const PORTION = 2_000;

export interface AlarmHistory {
  list(caller: Caller, query: ListQuery): Promise<{ items: Alarm[]; total: number; isLimited: boolean }>;
  export(caller: Caller, query: ExportQuery): Promise<z.output<typeof sheetExport>>;
  analyze(caller: Caller, query: AnalysisQuery): Promise<AlarmAnalysis>;
  /** Throws `alarm.period`, `organization.not_found`. Returns the query with its period fixed. */
  check(caller: Caller, query: ExportQuery): Promise<ExportQuery>;
  /** Returns the file of a job: every alarm of the period, in portions. */
  content(caller: Caller, query: ExportQuery, progress: (part: number) => void): Promise<JobContent>;
}

/** The history of alarms: list, export and analysis of the alarms that were raised in a period. */
export function createAlarmHistory(
  pool: pg.Pool,
  clock: Clock,
  audit: Pick<Audit, 'recordAlone'>,
  translate: Translate,
  listSignatures: ListSignatures,
): AlarmHistory {
  /** Throws `alarm.period`, `organization.not_found`. */
  async function filterOf(caller: Caller, query: AnalysisQuery): Promise<HistoryFilter> {
    const to = query.to === undefined ? new Date(clock.now()) : new Date(query.to);
    const from =
      query.from === undefined ? new Date(to.getTime() - USUAL_DAYS * DAY_MS) : new Date(query.from);
    const lengthMs = to.getTime() - from.getTime();
    if (lengthMs <= 0 || lengthMs > MAX_HISTORY_DAYS * DAY_MS)
      throw new AppError('alarm.period', { days: MAX_HISTORY_DAYS });
    const scope =
      query.organizationId === undefined
        ? caller.scope
        : await findOrganizationPath(pool, caller.scope, query.organizationId);
    if (scope === null) throw new AppError('organization.not_found');
    return {
      scope,
      organizations: await findOrganizations(pool, scope),
      from,
      to,
      level: query.level ?? null,
      kind: query.kind ?? null,
      reason: query.reason ?? null,
      acknowledged: query.acknowledged === undefined ? null : query.acknowledged === 'true',
      assetId: query.assetId ?? null,
      weekday: null,
      hour: null,
      found: null,
    };
  }

  async function listFilterOf(caller: Caller, query: ExportQuery): Promise<HistoryFilter> {
    const filter = await filterOf(caller, query);
    const search = query.search.trim();
    return {
      ...filter,
      weekday: query.weekday ?? null,
      hour: query.hour ?? null,
      found:
        search === ''
          ? null
          : await findSearched(pool, filter.scope, search, systemNamesLike(search, caller.language)),
    };
  }

  async function find(filter: HistoryFilter, query: ExportQuery, limit: number, offset: number) {
    const ids = await findHistoryIds(pool, filter, query.sort, query.order, limit, offset);
    const alarms = new Map((await findAlarmsById(pool, ids)).map((alarm) => [alarm.id, alarm]));
    return ids.flatMap((id) => alarms.get(id) ?? []);
  }

  async function* sheetsOf(
    language: Language,
    filter: HistoryFilter,
    query: ExportQuery,
    progress: (part: number) => void,
  ): AsyncGenerator<StreamSheet> {
    const { head } = await alarmSheet({ translate, listSignatures }, language, []);
    const total = await countPeriod(pool, filter);
    async function* rows() {
      for (let offset = 0; ; offset += PORTION) {
        progress(offset / (total + 1));
        const found = await find(filter, query, PORTION, offset);
        if (found.length === 0) return;
        const { cellsOf } = await alarmSheet({ translate, listSignatures }, language, found);
        yield await mapInPortions(found, cellsOf);
      }
    }
    yield { name: translate(language, 'jobs.kind.alarm-export'), head, rows: rows() };
  }

  return {
    async check(caller, query) {
      const { from, to } = await filterOf(caller, query);
      return { ...query, from: from.toISOString(), to: to.toISOString() };
    },
    async content(caller, query, progress) {
      const filter = await listFilterOf(caller, query);
      return {
        fileName: FILE,
        mediaType: XLSX,
        body: streamWorkbook(sheetsOf(caller.language, filter, query, progress)),
      };
    },
    async list(caller, query) {
      const filter = await listFilterOf(caller, query);
      const offset = (query.page - 1) * query.pageSize;
      const [items, counted] = await Promise.all([
        offset >= MAX_HISTORY
          ? []
          : find(filter, query, Math.min(query.pageSize, MAX_HISTORY - offset), offset),
        countHistory(pool, filter, MAX_HISTORY + 1),
      ]);
      return { items, total: Math.min(counted, MAX_HISTORY), isLimited: counted > MAX_HISTORY };
    },
    async export(caller, query) {
      const filter = await listFilterOf(caller, query);
      return exportAlarmSheet({ audit, translate, listSignatures }, caller, FILE, (limit) =>
        find(filter, query, limit, 0),
      );
    },
    async analyze(caller, query) {
      const filter = await filterOf(caller, query);
      const { from, to } = filter;
      const before = { ...filter, from: new Date(2 * from.getTime() - to.getTime()), to: from };
      const slotS = await slotSeconds(pool, filter);
      const division = { begin: from, stepDays: stepDaysOf(from, to), steps: stepsOf(from, to), slotS };
      const [parts, totalBefore] = await Promise.all([
        Promise.all(
          partsOf(filter).map((part) => transaction(pool, (tx) => countByAspects(tx, part, division))),
        ),
        countPeriod(pool, before),
      ]);
      const rows = parts.flat();
      const names = await findAssetNames(
        pool,
        worstAssets(rows).map(({ id }) => id),
      );
      return arrangeAnalysis(rows, { from, to }, totalBefore, names);
    },
  };
}
