import type { ImportReport, ImportUpload } from '@isotherm/contracts/batches';
import { AppError, type ErrorCode } from '@isotherm/contracts/errors';
import { type exportReceivers, type ReceiverInput, receiverInput } from '@isotherm/contracts/receivers';
import type { ResponseOf } from '@isotherm/contracts/route';
import { LANGUAGE_NAMES, LANGUAGES } from '@isotherm/i18n/languages';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import { isDuplicate, transaction } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import { wordError } from '../../../platform/http/error-words.ts';
import type { ImportRun } from '../../../platform/imports/import-run.ts';
import type { Imports } from '../../../platform/imports/imports.ts';
import { exportSheet } from '../../../platform/sheets/sheet-export.ts';
import {
  createSheetForm,
  type SheetFaults,
  type SheetRow,
  sameName,
} from '../../../platform/sheets/sheet-form.ts';
import { findOrganizationsByCode, findTopCode } from '../../identity/index.ts';
import { findTakenNames, insertReceiver, type ReceiverRow } from './receivers.repo.ts';
import {
  isReachable,
  RECEIVER_NAME,
  type ReceiverQuery,
  type ReceiversService,
  receiverFields,
  receiverObject,
} from './receivers.service.ts';

const MAX_ROWS = 10_000;
const MAX_EXPORT = 50_000;

/** Columns of the spreadsheet for import and export: field of the form → text id of its header. */
const COLUMNS = [
  { field: 'name', title: 'receivers.name', required: true, example: 'Duty pharmacist', width: 24 },
  { field: 'organizationId', title: 'receivers.organization', required: true, example: '', width: 24 },
  { field: 'countryCode', title: 'receivers.country-code', required: false, example: '+86', width: 14 },
  { field: 'mobile', title: 'receivers.mobile', required: false, example: '13900000021', width: 16 },
  { field: 'email', title: 'receivers.email', required: false, example: 'duty@example.org', width: 28 },
  { field: 'wechat', title: 'receivers.wechat', required: false, example: 'duty_pharmacist', width: 20 },
  { field: 'language', title: 'receivers.language', required: false, example: '', width: 14 },
  { field: 'timeZone', title: 'receivers.time-zone', required: false, example: 'Asia/Shanghai', width: 18 },
  { field: 'description', title: 'receivers.description', required: false, example: '', width: 32 },
] as const;
type Field = (typeof COLUMNS)[number]['field'];

/** Language codes by the code itself and by the name of the language in that language, in lower case. */
const LANGUAGE_OF = new Map(
  LANGUAGES.flatMap((language) =>
    [language, LANGUAGE_NAMES[language]].map((name) => [sameName(name), language] as const),
  ),
);

export interface ReceiverSheets {
  template(caller: Caller): Promise<{ fileName: string; content: string }>;
  export(caller: Caller, query: ReceiverQuery): Promise<ResponseOf<typeof exportReceivers>>;
  /** Throws `import.*`. The good rows are written in one transaction; a dry run writes nothing. */
  import(caller: Caller, upload: ImportUpload): Promise<ImportReport>;
}

interface Good {
  row: SheetRow<Field>;
  form: ReceiverInput;
}

/** Import and export of receivers as spreadsheets. */
export function createReceiverSheets(parts: {
  pool: pg.Pool;
  audit: Pick<Audit, 'record' | 'recordAlone'>;
  clock: Clock;
  translate: Translate;
  receivers: Pick<ReceiversService, 'listAll'>;
  running: Pick<Imports, 'run'>;
}): ReceiverSheets {
  const { pool, audit, clock, translate, receivers, running } = parts;
  const sheet = createSheetForm<Field>(COLUMNS, translate);

  /** Checks of all rows together, against each other and against the database. */
  async function judge(caller: Caller, rows: readonly Good[], faults: SheetFaults<Field>): Promise<Good[]> {
    const keyOf = ({ organizationId, name }: ReceiverInput) => `${organizationId} ${name.toLowerCase()}`;
    const taken = await findTakenNames(
      pool,
      rows.map(({ form }) => form),
    );
    const seen = new Map<string, number>();
    for (const { row, form } of rows) {
      const say = (code: ErrorCode) => wordError({ code, params: {} }, caller.language, translate);
      const twin = seen.get(keyOf(form));
      if (twin === undefined) seen.set(keyOf(form), row.row);
      else faults.fail(row, 'name', translate(caller.language, 'common.import.duplicate', { row: twin }));
      if (taken.has(keyOf(form))) faults.fail(row, 'name', say('receiver.taken'));
      if (!isReachable(form)) faults.fail(row, 'mobile', say('receiver.unreachable'));
    }
    return rows.filter(({ row }) => !faults.failed(row));
  }

  const cellOf = (row: ReceiverRow, field: Field): string => {
    if (field === 'organizationId') return row.organizationCode;
    return field === 'language' ? LANGUAGE_NAMES[row.language] : row[field];
  };

  return {
    async template(caller) {
      const content = await sheet.template(caller, 'Receivers', {
        organizationId: await findTopCode(pool, caller.scope),
        language: LANGUAGE_NAMES[caller.language],
      });
      return { fileName: 'receivers-template.xlsx', content };
    },
    async export(caller, query) {
      return exportSheet(audit, caller, {
        fileName: 'receiver-list.xlsx',
        objectKind: 'receiver',
        sheetName: 'Receivers',
        head: COLUMNS.map(({ title }) => translate(caller.language, title)),
        widths: COLUMNS.map(({ width }) => width),
        found: await receivers.listAll(caller, query, MAX_EXPORT + 1),
        most: MAX_EXPORT,
        cellsOf: (row) => COLUMNS.map(({ field }) => cellOf(row, field)),
      });
    },
    import: (caller, upload) =>
      running.run(caller, upload.importId, (run) => importFile(caller, upload, run)),
  };

  async function importFile(caller: Caller, { file, dryRun }: ImportUpload, run: ImportRun) {
    const { rows, faults } = await sheet.read(file, MAX_ROWS, caller);
    const organizations = await findOrganizationsByCode(pool, caller.scope, [
      ...new Set(rows.map(({ cell }) => cell('organizationId'))),
    ]);
    const ids = new Map(organizations.map(({ code, id }) => [code, id]));
    const placeOf = new Map(organizations.map((organization) => [organization.id, organization]));
    const formOf = ({ cell }: SheetRow<Field>): Record<string, unknown> => ({
      ...Object.fromEntries(
        COLUMNS.flatMap(({ field }) => (cell(field) === '' ? [] : [[field, cell(field)] as const])),
      ),
      organizationId: cell('organizationId') === '' ? undefined : (ids.get(cell('organizationId')) ?? '?'),
      language:
        cell('language') === '' ? caller.language : (LANGUAGE_OF.get(sameName(cell('language'))) ?? '?'),
    });
    const unknown = (field: Field) =>
      field === 'organizationId' ? translate(caller.language, 'common.import.no-organization') : null;
    const parsed: Good[] = [];
    await run.each('checking', rows, (portion) => {
      for (const row of portion) {
        const form = faults.parse(row, receiverInput, formOf(row), unknown);
        if (form) parsed.push({ row, form });
      }
    });
    const good = await judge(caller, parsed, faults);
    if (dryRun === 'true' || good.length === 0) return faults.report(rows.length, false);
    await transaction(pool, async (tx) => {
      const trace = { changedBy: caller.username, changedAt: new Date(clock.now()) };
      const made: { id: number; form: ReceiverInput }[] = [];
      await run.each('writing', good, async (portion) => {
        for (const { form } of portion)
          made.push({ id: await insertReceiver(tx, { ...form, ...trace }), form });
      });
      const entryOf = ({ id, form }: (typeof made)[number]) => ({
        action: 'create' as const,
        ...receiverObject({ id, name: form.name }),
        organizationPath: placeOf.get(form.organizationId)?.path ?? caller.scope,
        after: receiverFields(form, placeOf.get(form.organizationId)?.name ?? ''),
      });
      await run.each('recording', made, (portion) => audit.record(tx, caller, ...portion.map(entryOf)));
      await audit.record(tx, caller, {
        action: 'import',
        objectKind: 'receiver',
        objectId: '',
        objectName: file.name,
        organizationPath: caller.scope,
        after: { rows: rows.length, success: good.length, fail: rows.length - good.length },
      });
    }).catch((error: unknown) => {
      // Somebody else used one of the names after the check and before the write, so nothing was written.
      throw isDuplicate(error, RECEIVER_NAME)
        ? new AppError('import.overtaken', {}, { cause: error })
        : error;
    });
    return faults.report(rows.length, true);
  }
}
