import type { ImportReport, ImportUpload } from '@isotherm/contracts/batches';
import { code, deviceNumber } from '@isotherm/contracts/fields';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import { z } from 'zod';
import type { Caller } from '../../../platform/http/caller.ts';
import type { ImportRun } from '../../../platform/imports/import-run.ts';
import type { Imports } from '../../../platform/imports/imports.ts';
import { createSheetForm, type SheetRow } from '../../../platform/sheets/sheet-form.ts';
import { findAssetsByCode } from './bindable-assets.repo.ts';
import type { DeviceBatches } from './device-batches.ts';

const MAX_ROWS = 10_000;
const COLUMNS = [
  { field: 'number', title: 'devices.number', required: true, example: '31020201', width: 14 },
  { field: 'asset', title: 'devices.asset-code', required: true, example: 'FR-02', width: 24 },
] as const;
type Field = (typeof COLUMNS)[number]['field'];

export interface BondImport {
  template(caller: Caller): Promise<{ fileName: string; content: string }>;
  /** Throws `import.*`. */
  run(caller: Caller, upload: ImportUpload): Promise<ImportReport>;
}

const bondRow = z.object({ number: deviceNumber, asset: code });

/** Imports bindings of devices to assets from a list of device numbers and asset codes. */
export function createBondImport(parts: {
  pool: pg.Pool;
  batches: Pick<DeviceBatches, 'bind'>;
  translate: Translate;
  running: Pick<Imports, 'run'>;
}): BondImport {
  const { pool, batches, translate, running } = parts;
  const sheet = createSheetForm<Field>(COLUMNS, translate);
  return {
    template: async (caller) => ({
      fileName: 'bind-template.xlsx',
      content: await sheet.template(caller, 'Devices'),
    }),
    run: (caller, upload) => running.run(caller, upload.importId, (run) => importFile(caller, upload, run)),
  };

  async function importFile(caller: Caller, { file, dryRun }: ImportUpload, run: ImportRun) {
    const { rows, faults } = await sheet.read(file, MAX_ROWS, caller);
    const rowOf = new Map<string, SheetRow<Field>>();
    const wanted: z.output<typeof bondRow>[] = [];
    const check = (row: SheetRow<Field>) => {
      const input = { number: row.cell('number'), asset: row.cell('asset') };
      const parsed = faults.parse(row, bondRow, input);
      if (!parsed) return;
      const twin = rowOf.get(parsed.number);
      if (twin) {
        const said = translate(caller.language, 'common.import.duplicate', { row: twin.row });
        faults.fail(row, 'number', said);
        return;
      }
      rowOf.set(parsed.number, row);
      wanted.push(parsed);
    };
    await run.each('checking', rows, (portion) => portion.forEach(check));
    const assets = await findAssetsByCode(
      pool,
      caller.scope,
      wanted.map(({ number }) => number),
      wanted.map(({ asset }) => asset),
    );
    const noAsset = translate(caller.language, 'devices.import.no-asset');
    const bonds = wanted.flatMap(({ number }) => {
      const assetId = assets.get(number);
      if (assetId !== undefined) return [{ number, assetId }];
      const row = rowOf.get(number);
      if (row) faults.fail(row, 'asset', noAsset);
      return [];
    });
    const { failures } = await batches.bind(caller, bonds, { dryRun: dryRun === 'true', run });
    for (const { name, message } of failures) {
      const row = rowOf.get(name);
      if (row) faults.fail(row, 'number', message);
    }
    return faults.report(rows.length, dryRun === 'false');
  }
}
