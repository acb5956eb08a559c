import type { AlarmTestDetail, AlarmTestMessage } from '@isotherm/contracts/alarm-tests';
import type { sheetExport } from '@isotherm/contracts/batches';
import type { TextId } from '@isotherm/i18n/text-id';
import type { Translate } from '@isotherm/i18n/translator';
import type { z } from 'zod';
import type { Audit } from '../../../platform/audit/audit.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import { exportSheet } from '../../../platform/sheets/sheet-export.ts';

/** Largest number of tests in one spreadsheet. */
const MAX_EXPORT = 5_000;

const HEAD: readonly TextId[] = [
  'alarm-tests.started',
  'alarm-tests.policy',
  'alarm-tests.level',
  'alarm-tests.asset',
  'alarm-tests.organization',
  'alarm-tests.started-by',
  'alarm-tests.state',
  'alarm-tests.recipient',
  'alarm-tests.channel',
  'alarm-tests.delivery',
  'alarm-tests.reason',
  'alarm-tests.confirmed-by',
  'alarm-tests.confirmed-at',
  'alarm-tests.recorded-by',
];
const WIDTHS = [26, 30, 8, 26, 26, 24, 18, 28, 14, 14, 24, 24, 26, 24];

/** Writes tests to a spreadsheet, one row for each message, with an entry in the audit log. */
export async function exportTestSheet(
  { audit, translate }: { audit: Pick<Audit, 'recordAlone'>; translate: Translate },
  caller: Caller,
  find: (limit: number) => Promise<readonly AlarmTestDetail[]>,
): Promise<z.output<typeof sheetExport>> {
  const word = (id: TextId) => translate(caller.language, id);
  const found = await find(MAX_EXPORT + 1);
  const cellsOf = ({ test, message }: { test: AlarmTestDetail; message: AlarmTestMessage | null }) => [
    test.startedAt,
    test.policyName,
    String(test.level),
    test.assetName,
    test.organizationName,
    test.startedBy || test.scheduleName,
    word(`alarm-tests.state.${test.state}`),
    message?.name ?? '',
    message ? word(`alarm-tests.channel.${message.channel}`) : '',
    message ? word(`alarm-tests.delivery.${message.state}`) : '',
    message?.error ?? '',
    message?.confirmedBy ?? '',
    message?.confirmedAt ?? '',
    message?.recordedBy ?? '',
  ];
  const rows = found
    .slice(0, MAX_EXPORT)
    .flatMap((test) => (test.sent.length === 0 ? [null] : test.sent).map((message) => ({ test, message })));
  return {
    ...(await exportSheet(audit, caller, {
      fileName: 'alarm-test-list.xlsx',
      objectKind: 'alarm-test',
      sheetName: 'Alarm tests',
      head: HEAD.map(word),
      widths: WIDTHS,
      found: rows,
      most: rows.length,
      cellsOf,
    })),
    limited: found.length > MAX_EXPORT,
  };
}
