import type { AcknowledgementInput } from '@isotherm/contracts/alarms';
import type { BatchResult } from '@isotherm/contracts/batches';
import { AppError, InvalidFieldsError } from '@isotherm/contracts/errors';
import type { SignatureInput } from '@isotherm/contracts/signatures';
import type { Translate } from '@isotherm/i18n/translator';
import type { Audit } from '../../platform/audit/audit.ts';
import type { Caller } from '../../platform/http/caller.ts';
import { eachAlone, onceEach } from '../../platform/http/each-alone.ts';
import type { Sign } from '../identity/index.ts';
import type { AlarmActions } from './alarm-actions.ts';
import { exportAlarmSheet, type ListSignatures } from './alarm-sheet.ts';
import type { AlarmView } from './alarm-view.repo.ts';
import type { AlarmQuery, AlarmsService } from './alarms.service.ts';

const FILE = 'alarm-list.xlsx';

export interface AlarmBatches {
  export(
    caller: Caller,
    query: AlarmQuery,
  ): Promise<{ fileName: string; content: string; rows: number; limited: boolean }>;
  /**
   * Acknowledges each alarm independently. An alarm that cannot be acknowledged is reported as a failure in
   * the result. Throws only what concerns the signature of all, before anything is done.
   */
  acknowledge(
    caller: Caller,
    ids: readonly number[],
    said: AcknowledgementInput,
    signature: SignatureInput | undefined,
  ): Promise<BatchResult>;
  /** Ends open alarms independently of each other, as `acknowledge`. */
  end(
    caller: Caller,
    ids: readonly number[],
    reason: string,
    signature: SignatureInput | undefined,
  ): Promise<BatchResult>;
}

/** API keys may act on no alarm. */
const isForAll = (error: AppError): boolean => error.code === 'permission.denied';

/**
 * Batch operations on alarms: export of the filtered alarms to a spreadsheet, and actions on several alarms.
 */
export function createAlarmBatches(
  alarms: Pick<AlarmsService, 'listAll' | 'byId'>,
  actions: Pick<AlarmActions, 'acknowledge' | 'end' | 'signing'>,
  audit: Pick<Audit, 'recordAlone'>,
  translate: Translate,
  listSignatures: ListSignatures,
): AlarmBatches {
  /** One signature is put under each of the alarms; `isDue` says which of them the action still concerns. */
  async function each(
    caller: Caller,
    ids: readonly number[],
    signature: SignatureInput | undefined,
    isDue: (alarm: AlarmView) => boolean,
    act: (id: number, sign: Sign | null) => Promise<unknown>,
  ): Promise<BatchResult> {
    const wanted = onceEach(ids);
    if (!signature) {
      const unsigned = (await alarms.byId(wanted.map(({ id }) => id))).find(
        (alarm) => alarm.mustSign && isDue(alarm) && alarm.organizationPath.startsWith(caller.scope),
      );
      if (unsigned) throw new AppError('signing.required', { level: unsigned.peakLevel });
    }
    const sign = await actions.signing(caller, signature);
    return eachAlone(
      caller,
      translate,
      wanted,
      async ({ id }, nameIt) => {
        try {
          await act(id, sign);
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
          const [alarm] = error.code === 'alarm.not_found' ? [] : await alarms.byId([id]);
          if (alarm) nameIt(alarm.assetName);
          throw error instanceof InvalidFieldsError
            ? new AppError('alarm.acknowledgement_incomplete')
            : error;
        }
      },
      isForAll,
    );
  }

  return {
    export: (caller, query) =>
      exportAlarmSheet({ audit, translate, listSignatures }, caller, FILE, (limit) =>
        alarms.listAll(caller, query, limit),
      ),
    acknowledge: (caller, ids, said, signature) =>
      each(
        caller,
        ids,
        signature,
        ({ acknowledgement }) => acknowledgement === null,
        (id, sign) => actions.acknowledge(caller, id, said, sign),
      ),
    end: (caller, ids, reason, signature) =>
      each(
        caller,
        ids,
        signature,
        ({ endedAt }) => endedAt === null,
        (id, sign) => actions.end(caller, id, reason, sign),
      ),
  };
}
