import type { ImportUpload } from '@isotherm/contracts/batches';
import { type importDevices, type NewDevice, newDevice } from '@isotherm/contracts/device-registry';
import { AppError, type ErrorCode, type ErrorParams } from '@isotherm/contracts/errors';
import type { ResponseOf } from '@isotherm/contracts/route';
import { DEVICE_TYPES } from '@isotherm/domain/devices/device-state';
import { INDICATOR_NAMES, type Indicator } from '@isotherm/domain/readings/indicator';
import type { Language } from '@isotherm/i18n/languages';
import { type TextId, textId } from '@isotherm/i18n/text-id';
import type { Translate } from '@isotherm/i18n/translator';
import { type Tx, transaction } from '../../../platform/db/pool.ts';
import { type Caller, ownerOf } from '../../../platform/http/caller.ts';
import { wordError } from '../../../platform/http/error-words.ts';
import type { ImportRun } from '../../../platform/imports/import-run.ts';
import type { Imports } from '../../../platform/imports/imports.ts';
import { inPortions, mapInPortions } from '../../../platform/portions.ts';
import {
  createSheetForm,
  namesInAllLanguages,
  type SheetFaults,
  type SheetRow,
  sameName,
} from '../../../platform/sheets/sheet-form.ts';
import { writeBook } from '../../../platform/sheets/sheets.ts';
import { findOrganizationsByCode, findTopCode } from '../../identity/index.ts';
import { hashDeviceToken } from '../device-directory.ts';
import { bindGateways, insertSensors } from '../devices.repo.ts';
import { fieldsFrom } from './device-view.ts';
import { findTaken, insertDevices, type Layout, listLayouts } from './registry.repo.ts';
import { type RegistryParts, randomKey, secretsOf, sensorsOf } from './registry.service.ts';

const MAX_ROWS = 10_000;
const AT_ONCE = 500;

const COLUMNS = [
  { field: 'number', title: 'devices.number', required: true, example: '31020201', width: 12 },
  { field: 'name', title: 'devices.name', required: true, example: 'Logger 1', width: 24 },
  { field: 'organizationId', title: 'devices.organization', required: true, example: '', width: 24 },
  { field: 'type', title: 'devices.type', required: false, example: '', width: 16 },
  { field: 'model', title: 'devices.model', required: false, example: 'TH-20', width: 16 },
  { field: 'serial', title: 'devices.serial', required: false, example: 'SN-4711', width: 20 },
  { field: 'sensors', title: 'devices.section.sensors', required: false, example: '', width: 40 },
  { field: 'gatewayNumber', title: 'devices.gateway', required: false, example: '', width: 12 },
  { field: 'devEui', title: 'devices.eui', required: false, example: '', width: 20 },
  { field: 'timeZone', title: 'devices.zone', required: false, example: 'Asia/Shanghai', width: 18 },
  { field: 'expiresOn', title: 'devices.expires', required: false, example: '2027-12-31', width: 14 },
  { field: 'offlineAfterMinutes', title: 'devices.offline-after', required: false, example: '30', width: 14 },
  { field: 'acquisitionIntervalS', title: 'devices.acquisition', required: false, example: '60', width: 14 },
  { field: 'uploadIntervalS', title: 'devices.upload', required: false, example: '60', width: 14 },
  { field: 'key', title: 'devices.key', required: false, example: '', width: 44 },
  { field: 'token', title: 'devices.token', required: false, example: '', width: 24 },
] as const;
type Field = (typeof COLUMNS)[number]['field'];
const NUMBERS = ['offlineAfterMinutes', 'acquisitionIntervalS', 'uploadIntervalS'] as const;
const TEXTS = ['number', 'name', 'model', 'serial', 'gatewayNumber', 'devEui', 'key', 'token'] as const;

export interface DeviceImport {
  template(caller: Caller): Promise<{ fileName: string; content: string }>;
  /** Throws `import.*`. The valid rows are written in one transaction; a dry run writes nothing. */
  run(caller: Caller, upload: ImportUpload): Promise<ResponseOf<typeof importDevices>>;
}

interface Good {
  row: SheetRow<Field>;
  form: NewDevice;
}

/** Returns the layout of a device: its type, and what each of its sensors measures. */
const layoutOf = (type: string, sensors: readonly (readonly string[])[]) =>
  JSON.stringify([type, sensors.map((indicators) => [...indicators].sort())]);

export function createDeviceImport(
  parts: Pick<RegistryParts, 'pool' | 'audit' | 'clock' | 'sealing' | 'changed'> & {
    translate: Translate;
    running: Pick<Imports, 'run'>;
  },
): DeviceImport {
  const { pool, audit, clock, sealing, changed, translate, running } = parts;
  const sheet = createSheetForm<Field>(COLUMNS, translate);
  const types = namesInAllLanguages(
    translate,
    DEVICE_TYPES.map((type) => [type, `devices.type.${type}`, type] as const),
  );
  const indicators = namesInAllLanguages(
    translate,
    INDICATOR_NAMES.map((name) => [name, `common.indicator.${name}`, name] as const),
  );

  /**
   * Parses text such as `temperature, humidity; temperature`, which means two sensors. An unknown quantity
   * stays as typed.
   */
  const sensorsFrom = (text: string): string[][] =>
    text
      .split(/[;；\n]/)
      .filter((part) => part.trim() !== '')
      .map((part) =>
        part
          .split(/[,，、+]/)
          .filter((name) => name.trim() !== '')
          .map((name) => indicators.get(sameName(name)) ?? name.trim()),
      );

  function formOf(
    { cell }: SheetRow<Field>,
    organizations: ReadonlyMap<string, number>,
    layouts: ReadonlyMap<string, readonly Layout[]>,
    language: Language,
  ): Record<string, unknown> {
    const known = layouts.get(cell('model'))?.[0];
    const type = cell('type') === '' ? (known?.type ?? 'logger') : (types.get(sameName(cell('type'))) ?? '?');
    const sensors = cell('sensors') === '' ? known?.sensors : sensorsFrom(cell('sensors'));
    const given = (field: Field, value: unknown) => (cell(field) === '' ? {} : { [field]: value });
    return {
      ...Object.fromEntries(TEXTS.map((field) => [field, cell(field)])),
      type,
      ...given('organizationId', organizations.get(cell('organizationId')) ?? '?'),
      ...given('timeZone', cell('timeZone')),
      ...given('expiresOn', cell('expiresOn').replaceAll('/', '-')),
      ...Object.assign(
        {},
        ...NUMBERS.map((field) =>
          given(field, /^\d+(\.\d+)?$/.test(cell(field)) ? Number(cell(field)) : cell(field)),
        ),
      ),
      sensors: sensors?.map((measured, at) => ({
        name: translate(language, 'devices.sensor', { index: at + 1 }),
        serial: `${cell('number')}-${String(at + 1).padStart(2, '0')}`,
        indicators: measured,
      })),
    };
  }

  /** Returns errors for names that were not found. */
  function unknownIn(language: Language) {
    const between = translate(language, 'logs.value.between');
    const listed = (ids: readonly TextId[]) => ids.map((id) => translate(language, id)).join(between);
    const types = listed(DEVICE_TYPES.map((type) => `devices.type.${type}` as const));
    const known = listed(INDICATOR_NAMES.map((name) => `common.indicator.${name}` as const));
    return (field: Field, { cell }: SheetRow<Field>): string | null => {
      if (field === 'organizationId') return translate(language, 'common.import.no-organization');
      if (field === 'type') return translate(language, 'devices.import.no-type', { types });
      if (field !== 'sensors') return null;
      const names = sensorsFrom(cell('sensors'))
        .flat()
        .filter((name) => !INDICATOR_NAMES.includes(name as Indicator));
      return names.length === 0
        ? null
        : translate(language, 'devices.import.no-indicator', { names: names.join(between), known });
    };
  }

  /** Runs the checks that need all rows together, or the registry. */
  async function judge(
    caller: Caller,
    good: readonly Good[],
    layouts: ReadonlyMap<string, readonly Layout[]>,
    faults: SheetFaults<Field>,
  ): Promise<Good[]> {
    const fail = (row: SheetRow<Field>, field: Field, code: ErrorCode, params: ErrorParams = {}) =>
      faults.fail(row, field, wordError({ code, params }, caller.language, translate));
    const taken = await findTaken(
      pool,
      caller.scope,
      good.map(({ form }) => form.number),
      good.map(({ form }) => form.devEui),
      good.map(({ form }) => form.gatewayNumber),
      good.flatMap(({ form }) => hashDeviceToken(form.token) ?? []),
    );
    const fitting = new Map(
      [...layouts].map(([model, known]) => [
        model,
        new Set(known.map(({ type, sensors }) => layoutOf(type, sensors))),
      ]),
    );
    const seen = {
      number: new Map<string, number>(),
      devEui: new Map<string, number>(),
      token: new Map<string, number>(),
    };
    const inFile = new Set(good.map(({ form }) => form.number));
    const judgeOne = ({ row, form }: Good): void => {
      for (const field of ['number', 'devEui', 'token'] as const) {
        if (form[field] === '') continue;
        const twin = seen[field].get(form[field]);
        if (twin === undefined) seen[field].set(form[field], row.row);
        else faults.fail(row, field, translate(caller.language, 'common.import.duplicate', { row: twin }));
      }
      if (taken.numbers.has(form.number)) fail(row, 'number', 'device.number_taken', { number: form.number });
      if (taken.euis.has(form.devEui)) fail(row, 'devEui', 'device.eui_taken');
      if (taken.tokens.has(hashDeviceToken(form.token)?.toString('hex') ?? ''))
        fail(row, 'token', 'device.token_taken');
      const { gatewayNumber: number } = form;
      if (number === form.number || (number !== '' && !inFile.has(number) && !taken.gateways.has(number)))
        fail(row, 'gatewayNumber', 'device.gateway', { number });
      if (form.model === '') return;
      const layout = layoutOf(
        form.type,
        form.sensors.map((sensor) => sensor.indicators),
      );
      const own = fitting.get(form.model);
      // The first row of a new model defines its layout.
      if (!own) fitting.set(form.model, new Set([layout]));
      else if (!own.has(layout)) fail(row, 'model', 'device.model_mismatch', { model: form.model });
    };
    await inPortions(good, (portion) => portion.forEach(judgeOne));
    return good.filter(({ row }) => !faults.failed(row));
  }

  async function write(
    tx: Tx,
    caller: Caller,
    run: ImportRun,
    good: readonly Good[],
    keys: ReadonlyMap<string, string>,
    paths: ReadonlyMap<number, string>,
  ): Promise<void> {
    const now = new Date(clock.now());
    const insert = async (some: readonly NewDevice[]) => {
      await insertDevices(
        tx,
        await mapInPortions(some, (form) => ({
          ...fieldsFrom(form, null),
          ...secretsOf(sealing, keys.get(form.number) ?? form.key, form.token),
          number: form.number,
          organizationId: form.organizationId,
        })),
        caller.username,
        now,
      );
      await insertSensors(
        tx,
        some.map(({ number, sensors }) => ({ number, sensors: sensorsOf(sensors) })),
      );
    };
    await run.each('writing', good, (portion) => insert(portion.map(({ form }) => form)), AT_ONCE);
    const bonds = good.flatMap(({ form: { number, gatewayNumber } }) =>
      gatewayNumber === '' ? [] : [{ number, gatewayNumber }],
    );
    if (bonds.length > 0) await bindGateways(tx, caller.scope, bonds);
    const entryOf = ({ form: { key: _, token, organizationId, ...form } }: Good) => ({
      action: 'create' as const,
      objectKind: 'device',
      objectId: form.number,
      objectName: form.name,
      organizationPath: paths.get(organizationId) ?? caller.scope,
      after: { ...form, hasToken: token !== '' },
    });
    await run.each('recording', good, (portion) => audit.record(tx, caller, ...portion.map(entryOf)));
  }

  return {
    async template(caller) {
      const example = [['temperature', 'humidity'], ['temperature']]
        .map((names) =>
          names.map((name) => translate(caller.language, textId(`common.indicator.${name}`))).join(', '),
        )
        .join('; ');
      const content = await sheet.template(caller, 'Devices', {
        organizationId: await findTopCode(pool, caller.scope),
        sensors: example,
        type: translate(caller.language, 'devices.type.logger'),
      });
      return { fileName: 'devices-template.xlsx', content };
    },
    run: (caller, upload) => running.run(caller, upload.importId, (run) => importFile(caller, upload, run)),
  };

  async function importFile(caller: Caller, { file, dryRun }: ImportUpload, run: ImportRun) {
    const { rows, faults } = await sheet.read(file, MAX_ROWS, caller);
    const all = (field: Field) => [...new Set(rows.map(({ cell }) => cell(field)))];
    const organizations = await findOrganizationsByCode(pool, caller.scope, all('organizationId'));
    const idOf = new Map(organizations.map(({ code, id }) => [code, id]));
    const layouts = await listLayouts(pool, caller.scope, all('model'));
    const unknown = unknownIn(caller.language);
    const parsed: Good[] = [];
    await run.each('checking', rows, (portion) => {
      for (const row of portion) {
        const input = formOf(row, idOf, layouts, caller.language);
        const form = faults.parse(row, newDevice, input, (field) => unknown(field, row));
        if (form) parsed.push({ row, form });
      }
    });
    const good = await judge(caller, parsed, layouts, faults);
    if (dryRun === 'true' || good.length === 0) return { ...faults.report(rows.length, false), keys: null };

    const keys = new Map(
      good.flatMap(({ form }) => (form.key === '' ? [[form.number, randomKey()] as const] : [])),
    );
    await transaction(pool, async (tx) => {
      const paths = new Map(organizations.map(({ id, path }) => [id, path]));
      await write(tx, caller, run, good, keys, paths);
      await audit.record(tx, caller, {
        action: 'import',
        objectKind: 'device',
        objectId: '',
        objectName: file.name,
        organizationPath: caller.scope,
        after: { rows: rows.length, success: good.length, fail: rows.length - good.length },
      });
    }).catch((error: unknown) => {
      throw taken(error);
    });
    changed(good.map(({ form }) => form.number));
    return { ...faults.report(rows.length, true), keys: await keyFile(keys, caller) };
  }

  async function keyFile(keys: ReadonlyMap<string, string>, caller: Caller) {
    if (keys.size === 0) return null;
    const head = (['devices.number', 'devices.key'] as const).map((id) => translate(caller.language, id));
    const bytes = await writeBook(ownerOf(caller), { name: 'Keys', rows: [head, ...keys], widths: [12, 48] });
    return { fileName: 'device-keys.xlsx', content: bytes.toString('base64') };
  }
}

/**
 * Converts a duplicate error: another user registered one of the numbers between validation and writing, and
 * nothing was written.
 */
function taken(error: unknown): unknown {
  const { code } = (error ?? {}) as { code?: string };
  return code === '23505' ? new AppError('import.overtaken', {}, { cause: error }) : error;
}
