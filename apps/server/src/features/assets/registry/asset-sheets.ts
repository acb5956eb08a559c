import {
  type AssetInput,
  type AssetRecord,
  assetForms,
  type exportAssets,
  type listAssets,
} from '@isotherm/contracts/asset-registry';
import type { ImportReport, ImportUpload } from '@isotherm/contracts/batches';
import { AppError } from '@isotherm/contracts/errors';
import type { ResponseOf } from '@isotherm/contracts/route';
import { ASSET_TYPES, type AssetKind } from '@isotherm/domain/assets/asset-kind';
import { ASSET_FIELD_WORDS } from '@isotherm/i18n/asset-field-words';
import type { Language } from '@isotherm/i18n/languages';
import { textId } from '@isotherm/i18n/text-id';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import { isDuplicate, transaction } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import { wordError } from '../../../platform/http/error-words.ts';
import type { ImportRun } from '../../../platform/imports/import-run.ts';
import type { Imports } from '../../../platform/imports/imports.ts';
import { inPortions } from '../../../platform/portions.ts';
import { exportSheet } from '../../../platform/sheets/sheet-export.ts';
import {
  createSheetForm,
  namesInAllLanguages,
  type SheetColumn,
  type SheetFaults,
  type SheetRow,
  sameName,
} from '../../../platform/sheets/sheet-form.ts';
import { findOrganizationsByCode, findTopCode } from '../../identity/index.ts';
import { findTakenCodes, insertRecord } from './registry.repo.ts';
import type { RegistryService } from './registry.service.ts';

const MAX_ROWS = 10_000;
const MAX_EXPORT = 50_000;

type Field = keyof typeof ASSET_FIELD_WORDS;
const FIELDS = Object.keys(ASSET_FIELD_WORDS) as Field[];
const NUMBERS: readonly Field[] = ['volume', 'latitude', 'longitude'];
const SWITCHES: readonly Field[] = ['dualPower', 'dualCompressor'];
const REQUIRED: readonly Field[] = ['name', 'code', 'plate', 'type', 'organizationId'];
const EXAMPLES: Partial<Record<Field, string>> = {
  name: 'Vaccine fridge 1',
  code: 'VF-1',
  plate: 'B-CD-1234',
  size: '60,65,185',
  volume: '380.5',
  timeZone: 'Asia/Shanghai',
  latitude: '31.2304',
  longitude: '121.4737',
};
const NARROW = 12;
const WIDE = 24;

type Query = Omit<z.output<(typeof listAssets)['query']>, 'page' | 'pageSize'>;

export interface AssetSheets {
  template(caller: Caller, kind: AssetKind): Promise<{ fileName: string; content: string }>;
  export(
    caller: Caller,
    query: z.output<(typeof exportAssets)['query']>,
  ): Promise<ResponseOf<typeof exportAssets>>;
  /** Throws `import.*`. The valid rows are written in one transaction; a dry run writes nothing. */
  import(caller: Caller, kind: AssetKind, upload: ImportUpload): Promise<ImportReport>;
}

interface Good {
  row: SheetRow<Field>;
  form: AssetInput;
}

/** The fields of a kind of asset, in the order in which users fill them in. */
const fieldsOf = (kind: AssetKind) => FIELDS.filter((field) => field in assetForms[kind].shape);

/** Creates the import and export of assets as spreadsheets, with one layout per kind. */
export function createAssetSheets(parts: {
  pool: pg.Pool;
  audit: Pick<Audit, 'record' | 'recordAlone'>;
  clock: Clock;
  translate: Translate;
  registry: Pick<RegistryService, 'listAll'>;
  running: Pick<Imports, 'run'>;
}): AssetSheets {
  const { pool, audit, clock, translate, registry, running } = parts;
  const yesOrNo = namesInAllLanguages(translate, [
    ['1', 'logs.value.yes', true],
    ['0', 'logs.value.no', false],
  ]);

  const typesOf = (kind: AssetKind): readonly string[] =>
    kind in ASSET_TYPES ? ASSET_TYPES[kind as keyof typeof ASSET_TYPES] : [];
  const columnsOf = (kind: AssetKind): SheetColumn<Field>[] =>
    fieldsOf(kind).map((field) => ({
      field,
      title: ASSET_FIELD_WORDS[field],
      required: REQUIRED.includes(field),
      example: EXAMPLES[field] ?? '',
      width: NUMBERS.includes(field) || SWITCHES.includes(field) ? NARROW : WIDE,
    }));

  const typeNamesOf = (kind: AssetKind) =>
    namesInAllLanguages(
      translate,
      typesOf(kind).map((type) => [type, textId(`assets.type.${type}`), type] as const),
    );

  function formOf(
    kind: AssetKind,
    { cell, number }: SheetRow<Field>,
    organizations: ReadonlyMap<string, number>,
    types: ReadonlyMap<string, string>,
  ): Record<string, unknown> {
    const read = (field: Field): unknown => {
      const text = cell(field);
      if (field === 'organizationId') return organizations.get(text) ?? '?';
      if (field === 'type') return types.get(sameName(text)) ?? '?';
      if (SWITCHES.includes(field)) return yesOrNo.get(sameName(text)) ?? '?';
      // A decimal comma is accepted, because volumes have no thousands separators.
      if (NUMBERS.includes(field))
        return number(field) ?? (/^-?\d+([.,]\d+)?$/.test(text) ? Number(text.replace(',', '.')) : text);
      return text;
    };
    return {
      kind,
      ...Object.fromEntries(
        fieldsOf(kind).flatMap((field) => (cell(field) === '' ? [] : [[field, read(field)] as const])),
      ),
    };
  }

  /** Returns errors for names that were not found. */
  function unknownIn(kind: AssetKind, language: Language) {
    return (field: Field): string | null => {
      if (field === 'organizationId') return translate(language, 'common.import.no-organization');
      if (field !== 'type') return null;
      const names = typesOf(kind).map((type) => translate(language, textId(`assets.type.${type}`)));
      return translate(language, 'assets.import.no-type', {
        types: names.join(translate(language, 'logs.value.between')),
      });
    };
  }

  /** Runs the checks that need all rows together, or the registry. */
  async function judge(caller: Caller, good: readonly Good[], faults: SheetFaults<Field>): Promise<Good[]> {
    const nameOf = ({ organizationId, code }: AssetInput) => `${organizationId} ${code}`;
    const taken = await findTakenCodes(
      pool,
      good.map(({ form }) => form),
    );
    const seen = new Map<string, number>();
    const judgeOne = ({ row, form }: Good): void => {
      const twin = seen.get(nameOf(form));
      if (twin === undefined) seen.set(nameOf(form), row.row);
      else faults.fail(row, 'code', translate(caller.language, 'common.import.duplicate', { row: twin }));
      if (taken.has(nameOf(form)))
        faults.fail(
          row,
          'code',
          wordError({ code: 'asset.code_taken', params: { code: form.code } }, caller.language, translate),
        );
    };
    await inPortions(good, (portion) => portion.forEach(judgeOne));
    return good.filter(({ row }) => !faults.failed(row));
  }

  function cellOf(asset: AssetRecord, field: Field, codes: ReadonlyMap<number, string>, language: Language) {
    if (field === 'organizationId') return codes.get(asset.organizationId) ?? '';
    const value = asset[field];
    if (typeof value === 'boolean') return translate(language, value ? 'logs.value.yes' : 'logs.value.no');
    if (field === 'type' && value) return translate(language, textId(`assets.type.${value}`));
    return value === null ? '' : String(value);
  }

  return {
    async template(caller, kind) {
      const [type] = typesOf(kind);
      const content = await createSheetForm(columnsOf(kind), translate).template(caller, 'Assets', {
        organizationId: await findTopCode(pool, caller.scope),
        ...(type ? { type: translate(caller.language, textId(`assets.type.${type}`)) } : {}),
        dualPower: translate(caller.language, 'logs.value.yes'),
        dualCompressor: translate(caller.language, 'logs.value.no'),
      });
      return { fileName: `${kind}-template.xlsx`, content };
    },
    async export(caller, { kind, ...query }) {
      const { items, codes } = await registry.listAll(caller, { ...query, kind } as Query, MAX_EXPORT + 1);
      const columns = columnsOf(kind);
      return exportSheet(audit, caller, {
        fileName: `${kind}-list.xlsx`,
        objectKind: 'asset',
        sheetName: 'Assets',
        head: columns.map(({ title }) => translate(caller.language, title)),
        widths: columns.map(({ width }) => width),
        found: items,
        most: MAX_EXPORT,
        cellsOf: (asset) => columns.map(({ field }) => cellOf(asset, field, codes, caller.language)),
      });
    },
    import: (caller, kind, upload) =>
      running.run(caller, upload.importId, (run) => importFile(caller, kind, upload, run)),
  };

  async function importFile(
    caller: Caller,
    kind: AssetKind,
    { file, dryRun }: ImportUpload,
    run: ImportRun,
  ): Promise<ImportReport> {
    const sheet = createSheetForm(columnsOf(kind), translate);
    const { rows, faults } = await sheet.read(file, MAX_ROWS, caller);
    const organizations = await findOrganizationsByCode(pool, caller.scope, [
      ...new Set(rows.map(({ cell }) => cell('organizationId'))),
    ]);
    const ids = new Map(organizations.map(({ code, id }) => [code, id]));
    const paths = new Map(organizations.map(({ id, path }) => [id, path]));
    const types = typeNamesOf(kind);
    const unknown = unknownIn(kind, caller.language);
    const parsed: Good[] = [];
    await run.each('checking', rows, (portion) => {
      for (const row of portion) {
        const form = faults.parse(row, assetForms[kind], formOf(kind, row, ids, types), unknown);
        if (form) parsed.push({ row, form: form as AssetInput });
      }
    });
    const good = await judge(caller, parsed, faults);
    if (dryRun === 'true' || good.length === 0) return faults.report(rows.length, false);
    await transaction(pool, async (tx) => {
      const now = new Date(clock.now());
      const made: { form: AssetInput; id: number }[] = [];
      await run.each('writing', good, async (portion) => {
        for (const { form } of portion) {
          const id = await insertRecord(tx, caller.scope, form, now);
          // The organisation was deleted between validation and writing.
          if (id === null) throw new AppError('import.overtaken');
          made.push({ form, id });
        }
      });
      const entryOf = ({ id, form: { kind: _, organizationId, ...form } }: (typeof made)[number]) => ({
        action: 'create' as const,
        objectKind: 'asset',
        objectId: id,
        objectName: form.name,
        organizationPath: paths.get(organizationId) ?? caller.scope,
        after: form,
      });
      await run.each('recording', made, (portion) => audit.record(tx, caller, ...portion.map(entryOf)));
      await audit.record(tx, caller, {
        action: 'import',
        objectKind: 'asset',
        objectId: '',
        objectName: file.name,
        organizationPath: caller.scope,
        after: { rows: rows.length, success: good.length, fail: rows.length - good.length },
      });
    }).catch((error: unknown) => {
      // Another user took one of the codes between the validation and the writing, and nothing was written.
      throw isDuplicate(error, 'asset_code') ? new AppError('import.overtaken', {}, { cause: error }) : error;
    });
    return faults.report(rows.length, true);
  }
}
