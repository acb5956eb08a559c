import type { AcknowledgementInput, Alarm } from '@isotherm/contracts/alarms';
import type { BatchResult } from '@isotherm/contracts/batches';
import { AppError, InvalidFieldsError } from '@isotherm/contracts/errors';
import { INDICATORS } from '@isotherm/domain/readings/indicator';
import { END_WORDS, faultWords, REASON_WORDS } from '@isotherm/i18n/alarm-words';
import type { Language } from '@isotherm/i18n/languages';
import { inWords } from '@isotherm/i18n/system-names';
import type { TextId } from '@isotherm/i18n/text-id';
import type { Translate } from '@isotherm/i18n/translator';
import type { Audit } from '../../platform/audit/audit.ts';
import type { Caller } from '../../platform/http/caller.ts';
import { wordError } from '../../platform/http/error-words.ts';
import { exportSheet } from '../../platform/sheets/sheet-export.ts';
import type { AlarmActions } from './alarm-actions.ts';
import type { AlarmQuery, AlarmsService } from './alarms.service.ts';

const MAX_EXPORT = 50_000;
const FILE = 'alarm-list.xlsx';

const HEAD: readonly TextId[] = [
  'alarms.column.level',
  'alarms.export.fault',
  'alarms.column.asset',
  'alarms.column.place',
  'users.organization',
  'alarms.export.channel',
  'alarms.export.device',
  'alarms.export.unit',
  'alarms.fact.limit',
  'alarms.fact.value',
  'alarms.fact.peak',
  'alarms.column.since',
  'alarms.fact.raised',
  'alarms.fact.ended',
  'alarms.export.end-reason',
  'alarms.column.acknowledged',
  'alarms.export.acknowledged-at',
  'alarms.acknowledge.reason',
  'alarms.acknowledge.cause',
  'alarms.acknowledge.corrective-action',
  'alarms.export.fixed-by',
  'alarms.export.fixed-at',
  'alarms.assignee',
];
const WIDTHS = [8, 18, 26, 24, 26, 20, 12, 8, 14, 14, 12, 26, 26, 26, 24, 20, 26, 24, 40, 40, 20, 26, 20];

export interface AlarmBatches {
  export(
    caller: Caller,
    query: AlarmQuery,
  ): Promise<{ fileName: string; content: string; rows: number; limited: boolean }>;
  /**
   * Acknowledges each alarm independently. An alarm that cannot be acknowledged is reported as a failure in
   * the result; nothing is thrown.
   */
  acknowledge(caller: Caller, ids: readonly number[], said: AcknowledgementInput): Promise<BatchResult>;
  /** Ends open alarms independently of each other; failures are reported in the result. */
  end(caller: Caller, ids: readonly number[], reason: string): Promise<BatchResult>;
}

/**
 * Batch operations on alarms: export of the filtered alarms to a spreadsheet, and actions on several alarms.
 */
export function createAlarmBatches(
  alarms: Pick<AlarmsService, 'listAll' | 'byId'>,
  actions: Pick<AlarmActions, 'acknowledge' | 'end'>,
  audit: Pick<Audit, 'recordAlone'>,
  translate: Translate,
): AlarmBatches {
  function rowOf(
    alarm: Alarm,
    word: (id: TextId, values?: Record<string, string | number>) => string,
    language: Language,
  ): string[] {
    return [
      String(alarm.level),
      faultWords(alarm.indicator, alarm.kind, word),
      alarm.assetName,
      alarm.place,
      alarm.organizationName,
      inWords(alarm.channelName, language),
      alarm.deviceNumber,
      INDICATORS[alarm.indicator].unit,
      String(alarm.limitValue ?? ''),
      String(alarm.value ?? ''),
      String(alarm.peakValue ?? ''),
      alarm.since,
      alarm.raisedAt,
      alarm.endedAt ?? '',
      alarm.endReason ? word(END_WORDS[alarm.endReason]) : '',
      alarm.acknowledgement?.by ?? '',
      alarm.acknowledgement?.at ?? '',
      alarm.acknowledgement?.reason ? word(REASON_WORDS[alarm.acknowledgement.reason]) : '',
      alarm.acknowledgement?.cause ?? '',
      alarm.acknowledgement?.correctiveAction ?? '',
      alarm.fixed?.by ?? '',
      alarm.fixed?.at ?? '',
      alarm.assignee?.name ?? '',
    ];
  }

  async function each(
    caller: Caller,
    ids: readonly number[],
    act: (id: number) => Promise<unknown>,
  ): Promise<BatchResult> {
    const wanted = [...new Set(ids)];
    const failures: BatchResult['failures'] = [];
    for (const id of wanted) {
      try {
        await act(id);
      } catch (error) {
        if (!(error instanceof AppError) || error.code === 'permission.denied') throw error;
        const [alarm] = error.code === 'alarm.not_found' ? [] : await alarms.byId([id]);
        const told =
          error instanceof InvalidFieldsError ? new AppError('alarm.acknowledgement_incomplete') : error;
        failures.push({
          id,
          name: alarm?.assetName ?? String(id),
          message: wordError(told, caller.language, translate),
        });
      }
    }
    return { success: wanted.length - failures.length, fail: failures.length, failures };
  }

  return {
    async export(caller, query) {
      const word = (id: TextId, values?: Record<string, string | number>) =>
        translate(caller.language, id, values);
      return exportSheet(audit, caller, {
        fileName: FILE,
        objectKind: 'alarm',
        sheetName: 'Alarms',
        head: HEAD.map((id) => word(id)),
        widths: WIDTHS,
        found: await alarms.listAll(caller, query, MAX_EXPORT + 1),
        most: MAX_EXPORT,
        cellsOf: (alarm) => rowOf(alarm, word, caller.language),
      });
    },
    acknowledge: (caller, ids, said) => each(caller, ids, (id) => actions.acknowledge(caller, id, said)),
    end: (caller, ids, reason) => each(caller, ids, (id) => actions.end(caller, id, reason)),
  };
}
