import type { ImportReport, ImportUpload } from '@isotherm/contracts/batches';
import { AppError, type ErrorCode } from '@isotherm/contracts/errors';
import type { ResponseOf } from '@isotherm/contracts/route';
import type { ValidationRule } from '@isotherm/contracts/validation';
import { type exportWaybills, type WaybillInput, waybillInput } from '@isotherm/contracts/waybills';
import { ASSET_KINDS } from '@isotherm/domain/assets/asset-kind';
import { offsetOf } from '@isotherm/domain/readings/local-days';
import type { Language } from '@isotherm/i18n/languages';
import { textId } from '@isotherm/i18n/text-id';
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
import { findTourAssets } from '../tours/tours.repo.ts';
import { isTourTaken, tourKey } from '../tours/tours.ts';
import { localMoment, momentOf, numberOf, numberText } from './sheet-values.ts';
import { findDriversByName } from './waybill-drivers.repo.ts';
import { type KnownProducts, limitsFor } from './waybill-limits.ts';
import { waybillFields, waybillObject } from './waybill-views.ts';
import {
  findNamedAssets,
  findProfilesByCode,
  findTakenNumbers,
  findWaybills,
  findZones,
  insertWaybills,
  type WaybillLimits,
  type WaybillRow,
} from './waybills.repo.ts';
import { WAYBILL_NUMBER, type WaybillQuery, type WaybillsService } from './waybills.service.ts';

const MAX_ROWS = 10_000;
const MAX_EXPORT = 50_000;

/** Columns of the spreadsheet for import and export: field → text id of its header. */
const COLUMNS = [
  { field: 'number', title: 'waybills.number', required: true, example: 'W-2027-00042', width: 18 },
  { field: 'organizationId', title: 'waybills.organization', required: true, example: '', width: 22 },
  { field: 'assetKind', title: 'waybills.asset-kind', required: true, example: '', width: 16 },
  { field: 'assetId', title: 'waybills.asset', required: true, example: 'Truck 1', width: 22 },
  {
    field: 'plannedDepartureAt',
    title: 'waybills.planned-departure',
    required: true,
    example: '2027-12-25 08:30',
    width: 20,
  },
  {
    field: 'plannedDeliveryAt',
    title: 'waybills.planned-delivery',
    required: false,
    example: '2027-12-25 14:00',
    width: 20,
  },
  { field: 'consignorUnit', title: 'waybills.consignor', required: true, example: 'Warehouse', width: 24 },
  { field: 'consignorAddress', title: 'waybills.consignor-address', required: false, example: '', width: 24 },
  { field: 'consignorContact', title: 'waybills.consignor-contact', required: false, example: '', width: 18 },
  { field: 'consignorPhone', title: 'waybills.consignor-phone', required: false, example: '', width: 18 },
  { field: 'consigneeUnit', title: 'waybills.consignee', required: true, example: 'Hospital', width: 24 },
  { field: 'consigneeAddress', title: 'waybills.consignee-address', required: false, example: '', width: 24 },
  { field: 'consigneeContact', title: 'waybills.consignee-contact', required: false, example: '', width: 18 },
  { field: 'consigneePhone', title: 'waybills.consignee-phone', required: false, example: '', width: 18 },
  { field: 'consigneeEmail', title: 'waybills.consignee-email', required: false, example: '', width: 24 },
  { field: 'profileId', title: 'waybills.product-code', required: false, example: 'HEPB', width: 14 },
  { field: 'temperatureLow', title: 'waybills.temperature-low', required: false, example: '2', width: 14 },
  { field: 'temperatureHigh', title: 'waybills.temperature-high', required: false, example: '8', width: 14 },
  { field: 'goods', title: 'waybills.goods', required: false, example: 'Hepatitis B vaccine', width: 26 },
  { field: 'batch', title: 'waybills.batch', required: false, example: '202712A14', width: 14 },
  { field: 'quantity', title: 'waybills.quantity', required: false, example: '2400', width: 12 },
  { field: 'unit', title: 'waybills.unit', required: false, example: '', width: 12 },
  { field: 'tour', title: 'waybills.tour', required: false, example: '', width: 14 },
  { field: 'stop', title: 'waybills.stop', required: false, example: '', width: 10 },
  { field: 'driverId', title: 'waybills.driver-username', required: false, example: '', width: 18 },
  { field: 'note', title: 'waybills.note', required: false, example: '', width: 28 },
] as const;
type Field = (typeof COLUMNS)[number]['field'];
const GOODS: readonly Field[] = ['goods', 'batch', 'quantity', 'unit', 'assetKind'];
const NUMBERS: readonly Field[] = ['temperatureLow', 'temperatureHigh', 'stop'];
const MOMENTS: readonly Field[] = ['plannedDepartureAt', 'plannedDeliveryAt'];

export interface WaybillSheets {
  template(caller: Caller): Promise<{ fileName: string; content: string }>;
  export(caller: Caller, query: WaybillQuery): Promise<ResponseOf<typeof exportWaybills>>;
  /** Throws `import.*`. Rows with errors are reported; the good ones are created. A dry run writes nothing. */
  import(caller: Caller, upload: ImportUpload): Promise<ImportReport>;
}

interface Good {
  row: SheetRow<Field>;
  form: WaybillInput;
}
/** A row with the limits that apply to it. */
type Judged = Good & { limits: WaybillLimits };

/** What the cells of a file refer to. */
interface Known {
  organizations: ReadonlyMap<string, { id: number; path: string; zone: string }>;
  /** By kind and name or code in lower case; null if several assets have the name. */
  assets: ReadonlyMap<string, number | null>;
  /** By organisation of the waybill and code in lower case. */
  profiles: ReadonlyMap<string, number>;
  /** By organisation of the waybill and user name in lower case. */
  drivers: ReadonlyMap<string, number>;
}

const numberIn = (row: SheetRow<Field>, field: Field) => row.number(field) ?? numberOf(row.cell(field));

/** Import and export of waybills as spreadsheets. */
export function createWaybillSheets(parts: {
  pool: pg.Pool;
  audit: Pick<Audit, 'record' | 'recordAlone'>;
  clock: Clock;
  translate: Translate;
  waybills: Pick<WaybillsService, 'listAll'>;
  running: Pick<Imports, 'run'>;
}): WaybillSheets {
  const { pool, audit, clock, translate, waybills, running } = parts;
  const sheet = createSheetForm<Field>(COLUMNS, translate);
  const kinds = namesInAllLanguages(
    translate,
    ASSET_KINDS.map((kind) => [kind, textId(`asset.kind.${kind}`), kind] as const),
  );

  /** Checks of all rows together, against each other and against the database. */
  async function judge(
    caller: Caller,
    rows: readonly Good[],
    { organizations }: Known,
    faults: SheetFaults<Field>,
  ): Promise<Judged[]> {
    const paths = new Map([...organizations.values()].map(({ id, path }) => [id, path]));
    const keyOf = ({ organizationId, number }: WaybillInput) => `${organizationId} ${number.toLowerCase()}`;
    const taken = await findTakenNumbers(
      pool,
      rows.map(({ form }) => form),
    );
    const tourAssets = new Map<string, number>();
    for (const [key, { id }] of await findTourAssets(
      pool,
      rows.map(({ form }) => form),
      null,
    ))
      tourAssets.set(key, id);
    const seen = new Map<string, number>();
    const limits = new Map<Good, WaybillLimits>();
    const products: KnownProducts = new Map();
    const say = (code: ErrorCode) => wordError({ code, params: {} }, caller.language, translate);
    for (const each of rows) {
      const { row, form } = each;
      const twin = seen.get(keyOf(form));
      if (twin === undefined) seen.set(keyOf(form), row.row);
      else faults.fail(row, 'number', translate(caller.language, 'common.import.duplicate', { row: twin }));
      if (taken.has(keyOf(form))) faults.fail(row, 'number', say('waybill.taken'));
      if (form.tour !== '') {
        const planned = tourAssets.get(tourKey(form)) ?? form.assetId;
        tourAssets.set(tourKey(form), planned);
        if (planned !== form.assetId)
          faults.fail(row, 'assetId', translate(caller.language, 'waybills.import.tour-asset'));
      }
      try {
        limits.set(each, await limitsFor(pool, paths.get(form.organizationId) ?? '', form, products));
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        faults.fail(row, 'temperatureHigh', say(error.code));
      }
    }
    return rows.flatMap((each) => {
      const own = limits.get(each);
      return own && !faults.failed(each.row) ? [{ ...each, limits: own }] : [];
    });
  }

  function cellOf(row: WaybillRow, field: Field, caller: Caller): string {
    const [first] = row.goods;
    switch (field) {
      case 'organizationId':
        return row.organizationCode;
      case 'assetKind':
        return translate(caller.language, textId(`asset.kind.${row.assetKind}`));
      case 'assetId':
        return row.assetName;
      case 'plannedDepartureAt':
        return localMoment(row.plannedDepartureAt.getTime(), offsetOf(row.timeZone));
      case 'plannedDeliveryAt':
        return row.plannedDeliveryAt
          ? localMoment(row.plannedDeliveryAt.getTime(), offsetOf(row.timeZone))
          : '';
      case 'profileId':
        return row.profileCode ?? '';
      case 'driverId':
        return row.driverUsername ?? '';
      case 'goods':
        return first?.product ?? '';
      case 'batch':
        return first?.batch ?? '';
      case 'quantity':
        return first ? numberText(first.quantity) : '';
      case 'unit':
        return first?.unit ?? '';
      default:
        return String(row[field] ?? '');
    }
  }

  function parsedCell(field: Field, row: SheetRow<Field>, known: Known): unknown {
    const text = row.cell(field);
    const organization = known.organizations.get(row.cell('organizationId'));
    if (field === 'organizationId') return organization?.id ?? '?';
    if (field === 'assetId') {
      const kind = kinds.get(sameName(row.cell('assetKind')));
      return known.assets.get(`${organization?.id} ${kind ?? '?'} ${sameName(text)}`) ?? '?';
    }
    if (field === 'driverId') return known.drivers.get(`${organization?.id} ${text.toLowerCase()}`) ?? '?';
    if (field === 'profileId') return known.profiles.get(`${organization?.id} ${sameName(text)}`) ?? '?';
    if (MOMENTS.includes(field)) return momentOf(text, organization?.zone ?? 'UTC') ?? '?';
    return NUMBERS.includes(field) ? numberIn(row, field) : text;
  }

  function formOf(
    row: SheetRow<Field>,
    known: Known,
    { quantity, language }: { quantity: number; language: Language },
  ): Record<string, unknown> {
    const own = COLUMNS.map(({ field }) => field).filter(
      (field) => !GOODS.includes(field) && row.cell(field) !== '',
    );
    const product = row.cell('goods');
    return {
      consigneeLanguage: language,
      ...Object.fromEntries(own.map((field) => [field, parsedCell(field, row, known)])),
      goods:
        product === ''
          ? []
          : [
              {
                product,
                batch: row.cell('batch'),
                quantity,
                unit: row.cell('unit'),
              },
            ],
    };
  }

  /** Returns the quantity; 0 with an error of the row if it is no number or may have a thousands separator. */
  function quantityIn(row: SheetRow<Field>, { language }: Caller, faults: SheetFaults<Field>): number {
    const quantity = row.cell('quantity') === '' ? 0 : numberIn(row, 'quantity');
    if (typeof quantity === 'number') return quantity;
    faults.fail(row, 'quantity', translate(language, 'waybills.import.bad-quantity'));
    return 0;
  }

  async function knownIn(caller: Caller, rows: readonly SheetRow<Field>[]): Promise<Known> {
    const cells = (field: Field) => [...new Set(rows.map(({ cell }) => cell(field)))];
    const organizations = await findOrganizationsByCode(pool, caller.scope, cells('organizationId'));
    const ids = organizations.map(({ id }) => id);
    const [assets, zones, profiles, drivers] = await Promise.all([
      findNamedAssets(pool, caller.scope, ids, cells('assetId')),
      findZones(pool, ids),
      findProfilesByCode(pool, ids, cells('profileId')),
      findDriversByName(pool, caller.scope, ids, cells('driverId')),
    ]);
    // Of several assets with one name, the row must name the code.
    const named = new Map<string, number | null>();
    for (const { id, kind, name, code, organizationId } of assets)
      for (const called of new Set([sameName(name), sameName(code)])) {
        const key = `${organizationId} ${kind} ${called}`;
        named.set(key, named.has(key) ? null : id);
      }
    return {
      organizations: new Map(
        organizations.map(({ code, id, path }) => [code, { id, path, zone: zones.get(id) ?? 'UTC' }]),
      ),
      assets: named,
      profiles: new Map(profiles.map(({ id, code, organizationId }) => [`${organizationId} ${code}`, id])),
      drivers: new Map(
        drivers.map(({ id, username, organizationId }) => [`${organizationId} ${username}`, id]),
      ),
    };
  }

  /** Messages for cells that name something unknown or are not well formed (requirements §5, §8). */
  function unknownIn({ language }: Caller) {
    const words: Partial<Record<Field, string>> = {
      organizationId: translate(language, 'common.import.no-organization'),
      assetId: translate(language, 'waybills.import.no-asset'),
      profileId: translate(language, 'waybills.import.no-product'),
      driverId: translate(language, 'waybills.import.no-driver'),
      plannedDepartureAt: translate(language, 'waybills.import.bad-time'),
      plannedDeliveryAt: translate(language, 'waybills.import.bad-time'),
    };
    // The time format is correct in this case, so the default message applies.
    return (field: Field, rule: ValidationRule): string | null =>
      rule === 'above-other' ? null : (words[field] ?? null);
  }

  return {
    async template(caller) {
      const content = await sheet.template(caller, 'Waybills', {
        organizationId: await findTopCode(pool, caller.scope),
        assetKind: translate(caller.language, 'asset.kind.vehicle'),
      });
      return { fileName: 'waybills-template.xlsx', content };
    },
    async export(caller, query) {
      return exportSheet(audit, caller, {
        fileName: 'waybill-list.xlsx',
        objectKind: 'waybill',
        sheetName: 'Waybills',
        head: COLUMNS.map(({ title }) => translate(caller.language, title)),
        widths: COLUMNS.map(({ width }) => width),
        found: await waybills.listAll(caller, query, MAX_EXPORT + 1),
        most: MAX_EXPORT,
        cellsOf: (row) => COLUMNS.map(({ field }) => cellOf(row, field, caller)),
      });
    },
    import: (caller, upload) =>
      running.run(caller, upload.importId, (run) => importFile(caller, upload, run)),
  };

  async function importFile(caller: Caller, { file, dryRun }: ImportUpload, run: ImportRun) {
    const { rows, faults } = await sheet.read(file, MAX_ROWS, caller);
    const known = await knownIn(caller, rows);
    const parsed: Good[] = [];
    await run.each('checking', rows, (portion) => {
      for (const row of portion) {
        if (row.cell('assetKind') === '')
          faults.fail(row, 'assetKind', translate(caller.language, 'validation.required'));
        const quantity = quantityIn(row, caller, faults);
        const form = faults.parse(
          row,
          waybillInput,
          formOf(row, known, { quantity, language: caller.language }),
          unknownIn(caller),
        );
        if (form && !faults.failed(row)) parsed.push({ row, form });
      }
    });
    const good = await judge(caller, parsed, known, faults);
    if (dryRun === 'true' || good.length === 0) return faults.report(rows.length, false);
    await transaction(pool, async (tx) => {
      // Somebody else put one of the tours on another vehicle after the check.
      if (
        await isTourTaken(
          tx,
          good.map(({ form }) => form),
        )
      )
        throw new AppError('import.overtaken');
      const trace = { changedBy: caller.username, changedAt: new Date(clock.now()) };
      const made: WaybillRow[] = [];
      await run.each('writing', good, async (portion) => {
        const ids = await insertWaybills(
          tx,
          portion.map(({ form, limits }) => ({ ...form, limits, ...trace })),
        );
        made.push(...(await findWaybills(tx, caller.scope, ids)));
      });
      const entryOf = (row: WaybillRow) => ({
        action: 'create' as const,
        ...waybillObject(row),
        organizationPath: row.organizationPath,
        after: waybillFields(row),
      });
      await run.each('recording', made, (portion) => audit.record(tx, caller, ...portion.map(entryOf)));
      await audit.record(tx, caller, {
        action: 'import',
        objectKind: 'waybill',
        objectId: '',
        objectName: file.name,
        organizationPath: caller.scope,
        after: { rows: rows.length, success: good.length, fail: rows.length - good.length },
      });
    }).catch((error: unknown) => {
      // Somebody else took one of the numbers after the check and before the write, so nothing was written.
      throw isDuplicate(error, WAYBILL_NUMBER)
        ? new AppError('import.overtaken', {}, { cause: error })
        : error;
    });
    return faults.report(rows.length, true);
  }
}
