import type { ImportReport, ImportUpload } from '@isotherm/contracts/batches';
import { AppError, type ErrorCode } from '@isotherm/contracts/errors';
import {
  type exportProductProfiles,
  type ProfileInput,
  profileInput,
} from '@isotherm/contracts/product-profiles';
import type { ResponseOf } from '@isotherm/contracts/route';
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
  namesInAllLanguages,
  type SheetFaults,
  type SheetRow,
  sameName,
} from '../../../platform/sheets/sheet-form.ts';
import { findOrganizationsByCode, findTopCode } from '../../identity/index.ts';
import { findTakenProfileCodes, insertProfile, type ProfileRow } from './profiles.repo.ts';
import {
  budgetText,
  PROFILE_CODE,
  type ProfileQuery,
  type ProfilesService,
  profileFields,
  profileObject,
} from './profiles.service.ts';

const MAX_ROWS = 10_000;
const MAX_EXPORT = 50_000;

/** Columns of the spreadsheet for import and export: field of the form → text id of its header. */
const COLUMNS = [
  { field: 'name', title: 'profiles.name', required: true, example: 'Hepatitis B vaccine', width: 28 },
  { field: 'code', title: 'profiles.code', required: true, example: 'HEPB', width: 14 },
  { field: 'organizationId', title: 'profiles.organization', required: true, example: '', width: 24 },
  { field: 'temperatureLow', title: 'profiles.temperature-low', required: true, example: '2', width: 14 },
  { field: 'temperatureHigh', title: 'profiles.temperature-high', required: true, example: '8', width: 14 },
  { field: 'humidityLow', title: 'profiles.humidity-low', required: false, example: '35', width: 14 },
  { field: 'humidityHigh', title: 'profiles.humidity-high', required: false, example: '75', width: 14 },
  { field: 'budget', title: 'profiles.budget', required: false, example: '8/25/12; 25//0', width: 24 },
  { field: 'mktLimit', title: 'profiles.mkt-limit', required: false, example: '8', width: 14 },
  { field: 'activationKj', title: 'profiles.activation', required: false, example: '83.144', width: 14 },
  { field: 'preCoolMinutes', title: 'profiles.pre-cool', required: false, example: '30', width: 14 },
  { field: 'shared', title: 'profiles.shared', required: false, example: '', width: 14 },
  { field: 'enabled', title: 'profiles.enabled', required: false, example: '', width: 14 },
  { field: 'note', title: 'profiles.note', required: false, example: '', width: 32 },
] as const;
type Field = (typeof COLUMNS)[number]['field'];
const NUMBERS: readonly Field[] = [
  'temperatureLow',
  'temperatureHigh',
  'humidityLow',
  'humidityHigh',
  'mktLimit',
  'activationKj',
  'preCoolMinutes',
];
const SWITCHES: readonly Field[] = ['shared', 'enabled'];

export interface ProfileSheets {
  template(caller: Caller): Promise<{ fileName: string; content: string }>;
  export(caller: Caller, query: ProfileQuery): Promise<ResponseOf<typeof exportProductProfiles>>;
  /** Throws `import.*`. The good rows are written in one transaction; a dry run writes nothing. */
  import(caller: Caller, upload: ImportUpload): Promise<ImportReport>;
}

interface Good {
  row: SheetRow<Field>;
  form: ProfileInput;
}

/** Import and export of product profiles as spreadsheets. */
export function createProfileSheets(parts: {
  pool: pg.Pool;
  audit: Pick<Audit, 'record' | 'recordAlone'>;
  clock: Clock;
  translate: Translate;
  profiles: Pick<ProfilesService, 'listAll'>;
  running: Pick<Imports, 'run'>;
}): ProfileSheets {
  const { pool, audit, clock, translate, profiles, running } = parts;
  const sheet = createSheetForm<Field>(COLUMNS, translate);
  const yesOrNo = namesInAllLanguages(translate, [
    ['1', 'logs.value.yes', true],
    ['0', 'logs.value.no', false],
  ]);
  const wordOf = (value: boolean, { language }: Caller) =>
    translate(language, value ? 'logs.value.yes' : 'logs.value.no');

  /** Checks of all rows together, against each other and against the database. */
  async function judge(caller: Caller, rows: readonly Good[], faults: SheetFaults<Field>): Promise<Good[]> {
    const keyOf = ({ organizationId, code }: ProfileInput) => `${organizationId} ${code.toLowerCase()}`;
    const taken = await findTakenProfileCodes(
      pool,
      rows.map(({ form }) => form),
    );
    const seen = new Map<string, number>();
    for (const { row, form } of rows) {
      const say = (code: ErrorCode) => wordError({ code, params: {} }, caller.language, translate);
      const twin = seen.get(keyOf(form));
      if (twin === undefined) seen.set(keyOf(form), row.row);
      else faults.fail(row, 'code', translate(caller.language, 'common.import.duplicate', { row: twin }));
      if (taken.has(keyOf(form))) faults.fail(row, 'code', say('profile.taken'));
    }
    return rows.filter(({ row }) => !faults.failed(row));
  }

  function cellOf(row: ProfileRow, field: Field, caller: Caller): string {
    if (field === 'organizationId') return row.organizationCode;
    if (field === 'budget') return budgetText(row.budget);
    const value = row[field];
    return typeof value === 'boolean' ? wordOf(value, caller) : value === null ? '' : String(value);
  }

  function parsedCell(
    field: Field,
    { cell, number }: SheetRow<Field>,
    ids: ReadonlyMap<string, number>,
  ): unknown {
    const text = cell(field);
    if (field === 'organizationId') return ids.get(text) ?? '?';
    if (field === 'budget') return budgetOf(text);
    if (SWITCHES.includes(field)) return yesOrNo.get(sameName(text)) ?? '?';
    return NUMBERS.includes(field) ? (number(field) ?? numberOf(text)) : text;
  }

  return {
    async template(caller) {
      const content = await sheet.template(caller, 'Products', {
        organizationId: await findTopCode(pool, caller.scope),
        shared: wordOf(true, caller),
        enabled: wordOf(true, caller),
      });
      return { fileName: 'product-profiles-template.xlsx', content };
    },
    async export(caller, query) {
      return exportSheet(audit, caller, {
        fileName: 'product-profiles.xlsx',
        objectKind: 'product-profile',
        sheetName: 'Products',
        head: COLUMNS.map(({ title }) => translate(caller.language, title)),
        widths: COLUMNS.map(({ width }) => width),
        found: await profiles.listAll(caller, query, MAX_EXPORT + 1),
        most: MAX_EXPORT,
        cellsOf: (row) => COLUMNS.map(({ field }) => cellOf(row, field, caller)),
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
    const formOf = (row: SheetRow<Field>): Record<string, unknown> =>
      Object.fromEntries(
        COLUMNS.flatMap(({ field }) => {
          return row.cell(field) === '' ? [] : [[field, parsedCell(field, row, ids)] as const];
        }),
      );
    const unknown = (field: Field) =>
      field === 'organizationId' ? translate(caller.language, 'common.import.no-organization') : null;
    const parsed: Good[] = [];
    await run.each('checking', rows, (portion) => {
      for (const row of portion) {
        const form = faults.parse(row, profileInput, formOf(row), unknown);
        if (form) parsed.push({ row, form });
      }
    });
    const good = await judge(caller, parsed, faults);
    if (dryRun === 'true' || good.length === 0) return faults.report(rows.length, false);
    await transaction(pool, async (tx) => {
      const trace = { changedBy: caller.username, changedAt: new Date(clock.now()) };
      const made: { id: number; form: ProfileInput }[] = [];
      await run.each('writing', good, async (portion) => {
        for (const { form } of portion)
          made.push({ id: await insertProfile(tx, { ...form, ...trace }), form });
      });
      const entryOf = ({ id, form }: (typeof made)[number]) => ({
        action: 'create' as const,
        ...profileObject({ id, name: form.name }),
        organizationPath: placeOf.get(form.organizationId)?.path ?? caller.scope,
        after: profileFields(form, placeOf.get(form.organizationId)?.name ?? ''),
      });
      await run.each('recording', made, (portion) => audit.record(tx, caller, ...portion.map(entryOf)));
      await audit.record(tx, caller, {
        action: 'import',
        objectKind: 'product-profile',
        objectId: '',
        objectName: file.name,
        organizationPath: caller.scope,
        after: { rows: rows.length, success: good.length, fail: rows.length - good.length },
      });
    }).catch((error: unknown) => {
      // Somebody else took one of the codes after the check and before the write, so nothing was written.
      throw isDuplicate(error, PROFILE_CODE) ? new AppError('import.overtaken', {}, { cause: error }) : error;
    });
    return faults.report(rows.length, true);
  }
}

/** A number of a cell; a decimal comma is accepted. Other text stays text, so that the schema rejects it. */
function numberOf(text: string): number | string {
  return /^-?\d+([.,]\d+)?$/.test(text) ? Number(text.replace(',', '.')) : text;
}

/** The inverse of `budgetText`; text that is no budget stays text, so that the schema rejects it. */
function budgetOf(text: string): unknown {
  const bands = text
    .split(';')
    .map((each) => each.trim())
    .filter((each) => each !== '');
  return bands.map((each) => {
    const [low, high, hours, ...more] = each.split('/').map((part) => part.trim());
    if (low === undefined || high === undefined || hours === undefined || more.length > 0) return each;
    const end = (part: string) => (part === '' ? null : numberOf(part));
    return { low: end(low), high: end(high), hours: numberOf(hours) };
  });
}
