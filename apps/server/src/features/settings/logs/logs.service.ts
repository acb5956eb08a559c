import { AppError } from '@isotherm/contracts/errors';
import type { exportLogs, LogEntry, LogEntryDetail, listLogs } from '@isotherm/contracts/logs';
import { csvFile, csvRow } from '@isotherm/domain/csv';
import { fieldsInWords, kindWord } from '@isotherm/i18n/log-words';
import type { Say } from '@isotherm/i18n/permission-words';
import { inWords } from '@isotherm/i18n/system-names';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import { clockIn } from '../../../platform/local-time.ts';
import type { JobContent } from '../../../platform/result-jobs/job-kind.ts';
import {
  countLogs,
  findLog,
  findTimeZone,
  type LogFilter,
  listLogDetailsAfter,
  listLogRows,
  listObjectKinds,
} from './logs.repo.ts';

const MOST_EXPORTED = 50_000;
const BATCH = 2_000;

type ListQuery = z.output<(typeof listLogs)['query']>;
type ExportQuery = z.output<(typeof exportLogs)['query']>;

export interface LogsService {
  list(
    caller: Caller,
    query: ListQuery,
  ): Promise<{ items: LogEntry[]; total: number; objectKinds: string[] }>;
  get(caller: Caller, seq: number): Promise<LogEntryDetail>;
  export(
    caller: Caller,
    query: ExportQuery,
  ): Promise<{ fileName: string; content: string; rows: number; limited: boolean }>;
  /** Returns the query of a job, whose period ends now, so that a repeated job has the same entries. */
  until(query: ExportQuery): ExportQuery;
  /** Returns the file of a job: every entry, in portions. */
  content(caller: Caller, query: ExportQuery, progress: (part: number) => void): Promise<JobContent>;
}

export function createLogsService(
  pool: pg.Pool,
  audit: Pick<Audit, 'recordAlone'>,
  translate: Translate,
  clock: Clock,
): LogsService {
  const sayTo =
    (caller: Caller): Say =>
    (id, params) =>
      translate(caller.language, id, params);
  const headOf = (caller: Caller) => COLUMNS.map((column) => sayTo(caller)(`logs.csv.${column}`));
  const clockOf = async (caller: Caller) => clockIn(await findTimeZone(pool, caller.accountId));
  const fileNameOf = async (caller: Caller) =>
    `audit-log-${(await clockOf(caller))(new Date(clock.now())).slice(0, 10)}.csv`;

  /** Yields the rows in portions, `most` at most, in the language and time zone of the reader. */
  async function* rowsOf(caller: Caller, filter: LogFilter, most: number): AsyncGenerator<string[][]> {
    const write = await clockOf(caller);
    let last: number | null = null;
    for (let left = most; left > 0; ) {
      const batch: LogEntryDetail[] = await listLogDetailsAfter(pool, filter, last, Math.min(BATCH, left));
      if (batch.length === 0) return;
      yield batch.map((entry) =>
        rowOf(entry, write, sayTo(caller)).map((cell) => inWords(cell, caller.language)),
      );
      last = batch.at(-1)?.seq ?? null;
      left -= batch.length;
    }
  }

  return {
    async list(caller, query) {
      const filter = filterOf(caller, query);
      const [items, total, objectKinds] = await Promise.all([
        listLogRows(pool, filter, query.pageSize, (query.page - 1) * query.pageSize),
        countLogs(pool, filter),
        listObjectKinds(pool),
      ]);
      return { items, total, objectKinds };
    },
    /** Throws `log.not_found`, also outside the scope. */
    async get(caller, seq) {
      const entry = await findLog(pool, caller.scope, seq);
      if (!entry) throw new AppError('log.not_found');
      return entry;
    },
    async export(caller, query) {
      const filter = filterOf(caller, query);
      const content: string[][] = [];
      for await (const portion of rowsOf(caller, filter, MOST_EXPORTED + 1)) content.push(...portion);
      const shown = content.slice(0, MOST_EXPORTED);
      const { scope: _scope, ...asked } = filter;
      await audit.recordAlone(caller, {
        action: 'export',
        objectKind: 'log',
        objectId: '',
        objectName: '',
        after: { ...asked, rows: shown.length },
        organizationPath: caller.scope,
      });
      return {
        fileName: await fileNameOf(caller),
        content: csvFile([headOf(caller), ...shown]),
        rows: shown.length,
        limited: content.length > shown.length,
      };
    },
    until: (query) => ({ ...query, to: query.to ?? new Date(clock.now()).toISOString() }),
    async content(caller, query, progress) {
      const filter = filterOf(caller, query);
      const total = await countLogs(pool, filter, Number.MAX_SAFE_INTEGER);
      async function* body() {
        yield Buffer.from(csvFile([headOf(caller)]));
        let written = 0;
        for await (const portion of rowsOf(caller, filter, Number.MAX_SAFE_INTEGER)) {
          yield Buffer.from(portion.map(csvRow).join(''));
          written += portion.length;
          progress(written / (total + 1));
        }
      }
      return { fileName: await fileNameOf(caller), mediaType: 'text/csv; charset=utf-8', body: body() };
    },
  };
}

function filterOf(caller: Caller, query: ExportQuery): LogFilter {
  return {
    scope: caller.scope,
    from: query.from ?? null,
    to: query.to ?? null,
    search: query.search.trim(),
    actor: query.actor || null,
    action: query.action ?? null,
    objectKind: query.objectKind || null,
    objectId: query.objectId || null,
    sessionId: query.sessionId ?? null,
    order: query.order,
  };
}

const COLUMNS = [
  'number',
  'time',
  'actor',
  'address',
  'session',
  'organization',
  'action',
  'kind',
  'object',
  'name',
  'before',
  'after',
  'reason',
  'hash',
] as const;

/**
 * Returns a row in the reader's language, as the console shows it; number, session and hash identify the
 * stored entry.
 */
function rowOf(entry: LogEntryDetail, write: (at: Date) => string, say: Say): string[] {
  const side = (fields: object | null) =>
    fields === null ? '' : fieldsInWords(entry.objectKind, fields, say);
  return [
    String(entry.seq),
    write(new Date(entry.at)),
    entry.actor,
    entry.address,
    entry.sessionId,
    entry.organizationName,
    say(`logs.action.${entry.action}`),
    kindWord(entry.objectKind, say),
    entry.objectId,
    entry.objectName,
    side(entry.before),
    side(entry.after),
    entry.reason,
    entry.hash,
  ];
}
