import { MAX_HISTORY_DAYS } from '@isotherm/contracts/alarm-history';
import {
  type AlarmMessageDetail,
  type exportAlarmMessages,
  type ListedMessage,
  type listAlarmMessages,
  MAX_MESSAGES,
} from '@isotherm/contracts/alarm-messages';
import type { BatchResult, sheetExport } from '@isotherm/contracts/batches';
import { AppError } from '@isotherm/contracts/errors';
import type { Language } from '@isotherm/i18n/languages';
import { inWords, systemNamesLike } from '@isotherm/i18n/system-names';
import type { TextId } from '@isotherm/i18n/text-id';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import { transaction } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import { eachAlone, onceEach } from '../../../platform/http/each-alone.ts';
import { mapInPortions } from '../../../platform/portions.ts';
import type { JobContent } from '../../../platform/result-jobs/job-kind.ts';
import { exportSheet } from '../../../platform/sheets/sheet-export.ts';
import { streamWorkbook, XLSX } from '../../../platform/sheets/workbook-stream.ts';
import { findSearched } from '../history/history.repo.ts';
import { receiptOf } from '../notifications/receipts.repo.ts';
import { findOrganizations } from '../organizations.repo.ts';
import type { OwnTexts } from '../templates/own-texts.ts';
import {
  copyNotification,
  findMessageRow,
  type ListedRow,
  listMessageRows,
  type MessageRow,
} from './alarm-messages.repo.ts';
import {
  type Found,
  findMessageIds,
  findRecipients,
  type MessageFilter,
  type MessagePosition,
} from './find-messages.repo.ts';
import { createRenderMessage } from './render-message.ts';

type ListQuery = z.output<(typeof listAlarmMessages)['query']>;
type ExportQuery = z.output<(typeof exportAlarmMessages)['query']>;

const DAY_MS = 86_400_000;
const USUAL_DAYS = 30;
const MAX_EXPORT = 50_000;
/** Number of messages that a job reads at a time. */
const PORTION = 2_000;
const FILE = 'alarm-message-list.xlsx';
const HEAD: readonly TextId[] = [
  'alarm-messages.time',
  'alarm-messages.level',
  'alarm-messages.asset',
  'users.organization',
  'alarm-messages.recipient',
  'alarm-messages.channel',
  'alarm-messages.state',
  'alarm-messages.error',
  'alarm-messages.units',
  'alarm-messages.attempts',
  'alarm-messages.delivered-at',
];
const WIDTHS = [26, 8, 26, 26, 26, 12, 16, 30, 8, 10, 26];

export interface AlarmMessages {
  /** Throws `alarm.period`. */
  list(
    caller: Caller,
    query: ListQuery,
  ): Promise<{ items: ListedMessage[]; total: number; isLimited: boolean }>;
  /** Throws `alarm.period`. */
  export(caller: Caller, query: ExportQuery): Promise<z.output<typeof sheetExport>>;
  /** Throws `alarm.period`. Returns the query with its period fixed. */
  check(caller: Caller, query: ExportQuery): Promise<ExportQuery>;
  /** Returns the file of a job: every message of the period, in portions. Throws `alarm.period`. */
  content(caller: Caller, query: ExportQuery, progress: (part: number) => void): Promise<JobContent>;
  /** Throws `alarm_message.not_found`. */
  get(caller: Caller, id: number): Promise<AlarmMessageDetail>;
  /** Throws `alarm_message.not_found`, `alarm_message.waiting`. */
  resend(caller: Caller, id: number): Promise<{ id: number }>;
  /** Failures are in the result. */
  resendSeveral(caller: Caller, ids: readonly number[]): Promise<BatchResult>;
}

/** All notifications of alarms: the list, one of them with its attempts and cost, and sending again. */
export function createAlarmMessages(options: {
  pool: pg.Pool;
  clock: Clock;
  audit: Pick<Audit, 'record' | 'recordAlone'>;
  translate: Translate;
  ownTexts: OwnTexts;
  consoleUrl: string | null;
}): AlarmMessages {
  const { pool, clock, audit, translate } = options;
  const render = createRenderMessage({ ...options, db: pool });

  /** Recipients are found by their present names, assets and devices too, as in the history of alarms. */
  async function search({ scope, language }: Caller, text: string): Promise<Found> {
    const [recipients, places] = await Promise.all([
      findRecipients(pool, scope, text.toLowerCase()),
      findSearched(pool, scope, text, systemNamesLike(text, language)),
    ]);
    return { ...recipients, ...places };
  }

  async function filterOf(caller: Caller, query: ExportQuery): Promise<MessageFilter> {
    const to = query.to === undefined ? new Date(clock.now() + 1) : new Date(query.to);
    const from =
      query.from === undefined ? new Date(to.getTime() - USUAL_DAYS * DAY_MS) : new Date(query.from);
    const lengthMs = to.getTime() - from.getTime();
    if (lengthMs <= 0 || lengthMs > MAX_HISTORY_DAYS * DAY_MS)
      throw new AppError('alarm.period', { days: MAX_HISTORY_DAYS });
    const text = query.search.trim();
    return {
      organizations: await findOrganizations(pool, caller.scope),
      from,
      to,
      state: query.state ?? null,
      channel: query.channel ?? null,
      level: query.level ?? null,
      found: text === '' ? null : await search(caller, text),
      after: null,
    };
  }

  /** Name, head and rows of the spreadsheet. */
  function sheetIn(language: Language) {
    const word = (id: TextId) => translate(language, id);
    return {
      name: word('menu.alarm-messages'),
      head: HEAD.map(word),
      cellsOf: (row: ListedRow): string[] => [
        row.at.toISOString(),
        String(row.level),
        inWords(row.assetName, language),
        inWords(row.organizationName, language),
        row.recipient,
        word(`alarms.message.${row.channel}`),
        word(`alarm-messages.state.${row.state}`),
        row.error,
        row.units === null ? '' : String(row.units),
        String(row.attempts),
        row.deliveredAt?.toISOString() ?? '',
      ],
    };
  }

  /**
   * Yields all messages of a filter in portions. Each portion goes on after the last message of the one before, so that the
   * time for it does not grow. A message that is put off meanwhile may be missing or stand twice, no other. `part` is the finished part of the period.
   */
  async function* portionsOf(filter: MessageFilter, order: 'asc' | 'desc') {
    const page = { limit: PORTION, offset: 0, most: PORTION };
    const [begin, end] = [filter.from.getTime(), filter.to.getTime()];
    for (let after: MessagePosition | null = null; ; ) {
      const { ids, last } = await findMessageIds(pool, { ...filter, after }, order, page);
      if (last === null) return;
      const done = (new Date(last.firstDueAt).getTime() - begin) / (end - begin);
      yield { found: await listMessageRows(pool, ids), part: order === 'asc' ? done : 1 - done };
      after = last;
    }
  }

  async function find(caller: Caller, id: number): Promise<MessageRow> {
    const row = await findMessageRow(pool, caller.scope, id);
    if (!row) throw new AppError('alarm_message.not_found');
    return row;
  }

  async function resend(caller: Caller, id: number, nameIt?: (name: string) => void) {
    const row = await find(caller, id);
    nameIt?.(row.assetName);
    return transaction(pool, async (tx) => {
      const copy = await copyNotification(tx, id, new Date(clock.now()));
      if (copy === null) throw new AppError('alarm_message.waiting');
      await audit.record(tx, caller, {
        action: 'send-message',
        objectKind: 'alarm-message',
        objectId: id,
        objectName: row.assetName,
        organizationPath: row.organizationPath,
        after: { copy },
      });
      return { id: copy };
    });
  }

  return {
    async list(caller, query) {
      const filter = await filterOf(caller, query);
      const offset = (query.page - 1) * query.pageSize;
      const { ids, total } = await findMessageIds(pool, filter, query.order, {
        limit: Math.max(0, Math.min(query.pageSize, MAX_MESSAGES - offset)),
        offset,
        most: MAX_MESSAGES + 1,
      });
      return {
        items: (await listMessageRows(pool, ids)).map(viewOf),
        total: Math.min(total, MAX_MESSAGES),
        isLimited: total > MAX_MESSAGES,
      };
    },
    async export(caller, query) {
      const filter = await filterOf(caller, query);
      const most = MAX_EXPORT + 1;
      const { ids } = await findMessageIds(pool, filter, query.order, { limit: most, offset: 0, most });
      const { name, head, cellsOf } = sheetIn(caller.language);
      return exportSheet(audit, caller, {
        fileName: FILE,
        objectKind: 'alarm-message',
        sheetName: name,
        head,
        widths: WIDTHS,
        found: await listMessageRows(pool, ids),
        most: MAX_EXPORT,
        cellsOf,
      });
    },
    async check(caller, query) {
      const { from, to } = await filterOf(caller, query);
      return { ...query, from: from.toISOString(), to: to.toISOString() };
    },
    async content(caller, query, progress) {
      const filter = await filterOf(caller, query);
      const { name, head, cellsOf } = sheetIn(caller.language);
      async function* rows() {
        for await (const { found, part } of portionsOf(filter, query.order)) {
          yield await mapInPortions(found, cellsOf);
          progress(part);
        }
      }
      async function* sheets() {
        yield { name, head, rows: rows() };
      }
      return { fileName: FILE, mediaType: XLSX, body: streamWorkbook(sheets()) };
    },
    async get(caller, id) {
      const { organizationPath: _, stored, sms, tries, receipts, entries, ...row } = await find(caller, id);
      return {
        ...viewOf(row),
        rendered: sms?.text ? { subject: '', text: sms.text } : await render(stored, caller.language),
        sms: sms && { ...sms, number: masked(sms.number) },
        tries: tries.map((each) => ({ ...each, at: new Date(each.at).toISOString() })),
        receipts: receipts.map(receiptOf),
        entries: entries.map((entry) => ({ ...entry, at: new Date(entry.at).toISOString() })),
      };
    },
    resend: (caller, id) => resend(caller, id),
    resendSeveral: (caller, ids) =>
      eachAlone(caller, translate, onceEach(ids), ({ id }, nameIt) => resend(caller, id, nameIt)),
  };
}

const viewOf = ({ at, deliveredAt, receipt, ...row }: ListedRow): ListedMessage => ({
  ...row,
  at: at.toISOString(),
  deliveredAt: deliveredAt?.toISOString() ?? null,
  receipt: receipt && receiptOf(receipt),
});

/** A number whose middle digits are hidden, because it is personal data. */
const masked = (number: string): string => `${number.slice(0, 6)} •••• ${number.slice(-4)}`;
