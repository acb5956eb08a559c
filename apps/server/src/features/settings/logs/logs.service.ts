import { csvFile } from '@isotherm/contracts/csv';
import { AppError } from '@isotherm/contracts/errors';
import type { exportLogs, LogEntry, LogEntryDetail, listLogs } from '@isotherm/contracts/logs';
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
}

export function createLogsService(
  pool: pg.Pool,
  audit: Pick<Audit, 'recordAlone'>,
  translate: Translate,
  clock: Clock,
): LogsService {
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
      const write = clockIn(await findTimeZone(pool, caller.accountId));
      const say: Say = (id, params) => translate(caller.language, id, params);
      const written = (cell: string) => inWords(cell, caller.language);
      const rows = [COLUMNS.map((column) => say(`logs.csv.${column}`))];
      let last: number | null = null;
      do {
        const most = Math.min(BATCH, MOST_EXPORTED + 1 - (rows.length - 1));
        const batch = await listLogDetailsAfter(pool, filter, last, most);
        for (const entry of batch) rows.push(rowOf(entry, write, say).map(written));
        last = batch.length === most ? (batch.at(-1)?.seq ?? null) : null;
      } while (last !== null && rows.length - 1 <= MOST_EXPORTED);
      const limited = rows.length - 1 > MOST_EXPORTED;
      if (limited) rows.pop();
      const { scope: _scope, ...asked } = filter;
      await audit.recordAlone(caller, {
        action: 'export',
        objectKind: 'log',
        objectId: '',
        objectName: '',
        after: { ...asked, rows: rows.length - 1 },
        organizationPath: caller.scope,
      });
      const day = write(new Date(clock.now())).slice(0, 10);
      return { fileName: `audit-log-${day}.csv`, content: csvFile(rows), rows: rows.length - 1, limited };
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
