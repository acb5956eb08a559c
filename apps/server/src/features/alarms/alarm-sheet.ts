import type { Alarm } from '@isotherm/contracts/alarms';
import type { sheetExport } from '@isotherm/contracts/batches';
import { isAboutSwitch } from '@isotherm/domain/alarms/catalogue';
import { INDICATORS } from '@isotherm/domain/readings/indicator';
import { END_WORDS, faultWords, REASON_WORDS, switchLabel } from '@isotherm/i18n/alarm-words';
import type { Language } from '@isotherm/i18n/languages';
import { inWords } from '@isotherm/i18n/system-names';
import type { TextId } from '@isotherm/i18n/text-id';
import type { Translate } from '@isotherm/i18n/translator';
import type { z } from 'zod';
import type { Audit } from '../../platform/audit/audit.ts';
import type { Caller } from '../../platform/http/caller.ts';
import { exportSheet } from '../../platform/sheets/sheet-export.ts';
import type { StoredSignature } from '../identity/index.ts';

/** Largest number of alarms in one spreadsheet. */
const MAX_EXPORT = 50_000;

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
  'signatures.title',
];
const WIDTHS = [8, 18, 26, 24, 26, 20, 12, 8, 14, 14, 12, 26, 26, 26, 24, 20, 26, 24, 40, 40, 20, 26, 20, 60];

/** Returns the signatures under alarms. */
export type ListSignatures = (alarmIds: readonly number[]) => Promise<readonly StoredSignature[]>;

/**
 * Writes alarms to a spreadsheet in the language of the caller, with an entry in the audit log. `find`
 * returns at most the given number of alarms.
 */
export async function exportAlarmSheet(
  {
    audit,
    translate,
    listSignatures,
  }: { audit: Pick<Audit, 'recordAlone'>; translate: Translate; listSignatures: ListSignatures },
  caller: Caller,
  fileName: string,
  find: (limit: number) => Promise<readonly Alarm[]>,
): Promise<z.output<typeof sheetExport>> {
  const found = await find(MAX_EXPORT + 1);
  const sheet = await alarmSheet({ translate, listSignatures }, caller.language, found);
  return exportSheet(audit, caller, {
    fileName,
    objectKind: 'alarm',
    sheetName: 'Alarms',
    head: sheet.head,
    widths: WIDTHS,
    found,
    most: MAX_EXPORT,
    cellsOf: sheet.cellsOf,
  });
}

/** Returns the columns of a list of alarms in a language, and the cells of each of these alarms. */
export async function alarmSheet(
  { translate, listSignatures }: { translate: Translate; listSignatures: ListSignatures },
  language: Language,
  found: readonly Alarm[],
): Promise<{ head: string[]; cellsOf(alarm: Alarm): string[] }> {
  const word = (id: TextId, values?: Record<string, string | number>) => translate(language, id, values);
  const signatures = new Map<number, StoredSignature[]>();
  for (const signature of await listSignatures(found.map(({ id }) => id)))
    signatures.set(signature.subjectId, [...(signatures.get(signature.subjectId) ?? []), signature]);
  const signatureWords = ({ name, username, meaning, at, isIntact }: StoredSignature) =>
    word(isIntact ? 'signatures.export' : 'signatures.export.invalid', {
      name,
      username,
      meaning: word(`signatures.meaning.${meaning}`),
      time: at.toISOString(),
    });
  /** A number in the unit of its column, or the state of a switch in words. */
  const valueWords = (alarm: Alarm, value: number | null) =>
    value !== null && isAboutSwitch(alarm) ? word(switchLabel(alarm.indicator, value)) : String(value ?? '');
  const cellsOf = (alarm: Alarm): string[] => [
    String(alarm.level),
    faultWords(alarm.indicator, alarm.kind, word),
    alarm.assetName,
    alarm.place,
    alarm.organizationName,
    inWords(alarm.channelName, language),
    alarm.deviceNumber,
    INDICATORS[alarm.indicator].unit,
    isAboutSwitch(alarm) ? '' : String(alarm.limitValue ?? ''),
    valueWords(alarm, alarm.value),
    valueWords(alarm, alarm.peakValue),
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
    (signatures.get(alarm.id) ?? []).map(signatureWords).join('\n'),
  ];
  return { head: HEAD.map((id) => word(id)), cellsOf };
}
