import type { AcknowledgementInput } from '@isotherm/contracts/alarms';
import type { BatchResult } from '@isotherm/contracts/batches';
import { AppError, InvalidFieldsError } from '@isotherm/contracts/errors';
import type { Translate } from '@isotherm/i18n/translator';
import type { Audit } from '../../platform/audit/audit.ts';
import type { Caller } from '../../platform/http/caller.ts';
import { wordError } from '../../platform/http/error-words.ts';
import type { AlarmActions } from './alarm-actions.ts';
import { exportAlarmSheet } from './alarm-sheet.ts';
import type { AlarmQuery, AlarmsService } from './alarms.service.ts';

const FILE = 'alarm-list.xlsx';

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
    export: (caller, query) =>
      exportAlarmSheet({ audit, translate }, caller, FILE, (limit) => alarms.listAll(caller, query, limit)),
    acknowledge: (caller, ids, said) => each(caller, ids, (id) => actions.acknowledge(caller, id, said)),
    end: (caller, ids, reason) => each(caller, ids, (id) => actions.end(caller, id, reason)),
  };
}
