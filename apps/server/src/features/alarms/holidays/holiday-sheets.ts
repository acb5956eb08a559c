import type { ImportReport, ImportUpload } from '@isotherm/contracts/batches';
import { AppError, type ErrorCode } from '@isotherm/contracts/errors';
import { type exportHolidays, type HolidayInput, holidayInput } from '@isotherm/contracts/holidays';
import type { ResponseOf } from '@isotherm/contracts/route';
import { hasBegun } from '@isotherm/domain/alarms/schedule';
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
import { createSheetForm, type SheetFaults, type SheetRow } from '../../../platform/sheets/sheet-form.ts';
import { findOrganizationsByCode, findTopCode } from '../../identity/index.ts';
import { findTakenDates, type HolidayRow, insertHoliday } from './holidays.repo.ts';
import {
  HOLIDAY_DATE,
  type HolidayQuery,
  type HolidaysService,
  holidayFields,
  holidayObject,
} from './holidays.service.ts';

const MAX_ROWS = 10_000;
const MAX_EXPORT = 50_000;

/** Columns of the spreadsheet for import and export: field of the form → text id of its header. */
const COLUMNS = [
  { field: 'date', title: 'holidays.date', required: true, example: '2027-12-25', width: 14 },
  { field: 'name', title: 'holidays.name', required: true, example: 'Christmas', width: 28 },
  { field: 'organizationId', title: 'holidays.organization', required: true, example: '', width: 24 },
] as const;
type Field = (typeof COLUMNS)[number]['field'];

export interface HolidaySheets {
  template(caller: Caller): Promise<{ fileName: string; content: string }>;
  export(caller: Caller, query: HolidayQuery): Promise<ResponseOf<typeof exportHolidays>>;
  /** Throws `import.*`. The good rows are written in one transaction; a dry run writes nothing. */
  import(caller: Caller, upload: ImportUpload): Promise<ImportReport>;
}

interface Good {
  row: SheetRow<Field>;
  form: HolidayInput;
}

/** Import and export of holidays as spreadsheets. */
export function createHolidaySheets(parts: {
  pool: pg.Pool;
  audit: Pick<Audit, 'record' | 'recordAlone'>;
  clock: Clock;
  translate: Translate;
  holidays: Pick<HolidaysService, 'listAll'>;
  running: Pick<Imports, 'run'>;
}): HolidaySheets {
  const { pool, audit, clock, translate, holidays, running } = parts;
  const sheet = createSheetForm<Field>(COLUMNS, translate);

  /** Checks of all rows together, against each other and against the database. */
  async function judge(caller: Caller, rows: readonly Good[], faults: SheetFaults<Field>): Promise<Good[]> {
    const keyOf = ({ organizationId, date }: HolidayInput) => `${organizationId} ${date}`;
    const taken = await findTakenDates(
      pool,
      rows.map(({ form }) => form),
    );
    const seen = new Map<string, number>();
    for (const { row, form } of rows) {
      const say = (code: ErrorCode) => wordError({ code, params: {} }, caller.language, translate);
      const twin = seen.get(keyOf(form));
      if (twin === undefined) seen.set(keyOf(form), row.row);
      else faults.fail(row, 'date', translate(caller.language, 'common.import.duplicate', { row: twin }));
      if (taken.has(keyOf(form))) faults.fail(row, 'date', say('holiday.taken'));
      if (hasBegun(form.date, clock.now())) faults.fail(row, 'date', say('holiday.past'));
    }
    return rows.filter(({ row }) => !faults.failed(row));
  }

  const cellOf = (row: HolidayRow, field: Field): string =>
    field === 'organizationId' ? row.organizationCode : row[field];

  return {
    async template(caller) {
      const content = await sheet.template(caller, 'Holidays', {
        organizationId: await findTopCode(pool, caller.scope),
      });
      return { fileName: 'holidays-template.xlsx', content };
    },
    async export(caller, query) {
      return exportSheet(audit, caller, {
        fileName: 'holiday-list.xlsx',
        objectKind: 'holiday',
        sheetName: 'Holidays',
        head: COLUMNS.map(({ title }) => translate(caller.language, title)),
        widths: COLUMNS.map(({ width }) => width),
        found: await holidays.listAll(caller, query, MAX_EXPORT + 1),
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
    });
    const unknown = (field: Field) =>
      field === 'organizationId' ? translate(caller.language, 'common.import.no-organization') : null;
    const parsed: Good[] = [];
    await run.each('checking', rows, (portion) => {
      for (const row of portion) {
        const form = faults.parse(row, holidayInput, formOf(row), unknown);
        if (form) parsed.push({ row, form });
      }
    });
    const good = await judge(caller, parsed, faults);
    if (dryRun === 'true' || good.length === 0) return faults.report(rows.length, false);
    await transaction(pool, async (tx) => {
      const trace = { changedBy: caller.username, changedAt: new Date(clock.now()) };
      const made: { id: number; form: HolidayInput }[] = [];
      await run.each('writing', good, async (portion) => {
        for (const { form } of portion)
          made.push({ id: await insertHoliday(tx, { ...form, ...trace }), form });
      });
      const entryOf = ({ id, form }: (typeof made)[number]) => ({
        action: 'create' as const,
        ...holidayObject({ id, name: form.name }),
        organizationPath: placeOf.get(form.organizationId)?.path ?? caller.scope,
        after: holidayFields(form, placeOf.get(form.organizationId)?.name ?? ''),
      });
      await run.each('recording', made, (portion) => audit.record(tx, caller, ...portion.map(entryOf)));
      await audit.record(tx, caller, {
        action: 'import',
        objectKind: 'holiday',
        objectId: '',
        objectName: file.name,
        organizationPath: caller.scope,
        after: { rows: rows.length, success: good.length, fail: rows.length - good.length },
      });
    }).catch((error: unknown) => {
      // Somebody else added one of the dates after the check and before the write, so nothing was written.
      throw isDuplicate(error, HOLIDAY_DATE) ? new AppError('import.overtaken', {}, { cause: error }) : error;
    });
    return faults.report(rows.length, true);
  }
}
