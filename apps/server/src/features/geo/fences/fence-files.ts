import type { ImportReport } from '@isotherm/contracts/batches';
import { AppError } from '@isotherm/contracts/errors';
import {
  type exportGeofenceEvents,
  type GeofenceInput,
  geofenceInput,
  type importGeofences,
  MAX_FENCES,
} from '@isotherm/contracts/geofences';
import type { Download, ResponseOf } from '@isotherm/contracts/route';
import { wordIssues } from '@isotherm/contracts/validation';
import { DEFAULT_MARGIN_M } from '@isotherm/domain/geo/fence';
import {
  type FenceFileFault,
  type FileFence,
  fencesAsGeoJson,
  MAX_FENCES_IN_FILE,
  readFences,
} from '@isotherm/domain/geo/fence-files';
import { textId } from '@isotherm/i18n/text-id';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import { isDuplicate, transaction } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import { wordError } from '../../../platform/http/error-words.ts';
import { onePiece } from '../../../platform/http/one-piece.ts';
import type { ImportRun } from '../../../platform/imports/import-run.ts';
import type { Imports } from '../../../platform/imports/imports.ts';
import { exportSheet } from '../../../platform/sheets/sheet-export.ts';
import { findOrganizationPath } from '../../identity/index.ts';
import { listFenceEvents } from './events.repo.ts';
import { countFences, type FenceFilter, findTakenNames, insertFence } from './fences.repo.ts';
import { type FencesService, fenceFields, fenceObject, GEOFENCE_NAME } from './fences.service.ts';

const MAX_EVENTS = 50_000;
const MAX_VALUE = 100;

/** Why an element was left out: the faults of shapes have the same texts as in the form. */
const faultText = (fault: FenceFileFault) =>
  fault === 'geometry' || fault === 'holes'
    ? textId(`geofences.fault.${fault}`)
    : textId(`validation.fence-${fault}`);

type Upload = z.output<(typeof importGeofences)['body']>;
type EventQuery = z.output<(typeof exportGeofenceEvents)['query']>;

/** Import and export of geofences, and export of their events. */
export interface FenceFiles {
  export(caller: Caller, filter: FenceFilter): Promise<Download>;
  exportEvents(caller: Caller, query: EventQuery): Promise<ResponseOf<typeof exportGeofenceEvents>>;
  /** Throws `organization.not_found`, `import.*`, `geofence.file|too_many`. A dry run writes nothing. */
  import(caller: Caller, upload: Upload): Promise<ImportReport>;
}

export function createFenceFiles(parts: {
  pool: pg.Pool;
  audit: Pick<Audit, 'record' | 'recordAlone'>;
  clock: Clock;
  translate: Translate;
  fences: Pick<FencesService, 'listAll'>;
  running: Pick<Imports, 'run'>;
}): FenceFiles {
  const { pool, audit, clock, translate, fences, running } = parts;

  /** Judges each element of a file; `failures` are numbered from 1. */
  function judge(
    caller: Caller,
    found: readonly FileFence[],
    organizationId: number,
    taken: ReadonlySet<string>,
  ) {
    const good: GeofenceInput[] = [];
    const failures: ImportReport['failures'] = [];
    const seen = new Map<string, number>();
    for (const [index, { name, result }] of found.entries()) {
      const row = index + 1;
      const fail = (column: string, message: string) =>
        failures.push({ row, column, value: name.slice(0, MAX_VALUE), message });
      const title = (column: 'name' | 'shape') => translate(caller.language, `geofences.${column}`);
      if ('fault' in result) {
        fail(title('shape'), translate(caller.language, faultText(result.fault)));
        continue;
      }
      const parsed = geofenceInput.safeParse({
        organizationId,
        name,
        shape: result,
        marginM: DEFAULT_MARGIN_M,
      });
      if (!parsed.success) {
        const [fault] = wordIssues(parsed.error, { name });
        if (fault)
          fail(
            title(fault.field === 'name' ? 'name' : 'shape'),
            translate(caller.language, `validation.${fault.rule}`, fault.params),
          );
        continue;
      }
      const key = parsed.data.name.toLowerCase();
      const twin = seen.get(key);
      seen.set(key, twin ?? row);
      if (twin !== undefined)
        fail(title('name'), translate(caller.language, 'common.import.duplicate', { row: twin }));
      else if (taken.has(key))
        fail(title('name'), wordError({ code: 'geofence.taken', params: {} }, caller.language, translate));
      else good.push(parsed.data);
    }
    return { good, failures };
  }

  async function importFile(caller: Caller, upload: Upload, run: ImportRun): Promise<ImportReport> {
    const { file, dryRun, organizationId } = upload;
    const path = await findOrganizationPath(pool, caller.scope, organizationId);
    if (path === null) throw new AppError('organization.not_found');
    const found = readFences(new TextDecoder().decode(file.bytes));
    if ('error' in found) {
      if (found.error === 'too-many') throw new AppError('import.too_many_rows', { max: MAX_FENCES_IN_FILE });
      throw new AppError('geofence.file');
    }
    const taken = await findTakenNames(
      pool,
      organizationId,
      found.map(({ name }) => name),
    );
    const { good, failures } = judge(caller, found, organizationId, taken);
    const report = (written: boolean): ImportReport => ({
      rows: found.length,
      success: good.length,
      fail: failures.length,
      failures,
      ignored: [],
      written,
    });
    if ((await countFences(pool, organizationId)) + good.length > MAX_FENCES)
      throw new AppError('geofence.too_many', { most: MAX_FENCES });
    if (dryRun === 'true' || good.length === 0) return report(false);
    await transaction(pool, async (tx) => {
      const trace = { changedBy: caller.username, changedAt: new Date(clock.now()) };
      const made: { id: number; form: GeofenceInput }[] = [];
      await run.each('writing', good, async (portion) => {
        for (const form of portion) made.push({ id: await insertFence(tx, { ...form, ...trace }), form });
      });
      const entryOf = ({ id, form }: (typeof made)[number]) => ({
        action: 'create' as const,
        ...fenceObject({ id, name: form.name }),
        organizationPath: path,
        after: fenceFields(form, ''),
      });
      await run.each('recording', made, (portion) => audit.record(tx, caller, ...portion.map(entryOf)));
      await audit.record(tx, caller, {
        action: 'import',
        objectKind: 'geofence',
        objectId: '',
        objectName: file.name,
        organizationPath: path,
        after: { rows: found.length, success: good.length, fail: failures.length },
      });
    }).catch((error: unknown) => {
      throw isDuplicate(error, GEOFENCE_NAME)
        ? new AppError('import.overtaken', {}, { cause: error })
        : error;
    });
    return report(true);
  }

  return {
    async export(caller, filter) {
      const found = await fences.listAll(caller, filter);
      await audit.recordAlone(caller, {
        action: 'export',
        objectKind: 'geofence',
        objectId: '',
        objectName: 'geofence-list.geojson',
        organizationPath: caller.scope,
        after: { rows: found.length },
      });
      return {
        fileName: 'geofence-list.geojson',
        mediaType: 'application/geo+json',
        body: onePiece(Buffer.from(fencesAsGeoJson(found))),
      };
    },
    async exportEvents(caller, { order, sort: _, ...filter }) {
      const { rows } = await listFenceEvents(pool, caller.scope, filter, {
        order,
        limit: MAX_EVENTS + 1,
        offset: 0,
      });
      const { language } = caller;
      return exportSheet(audit, caller, {
        fileName: 'geofence-events.xlsx',
        objectKind: 'geofence-event',
        sheetName: 'Events',
        head: (
          ['time', 'event', 'asset', 'fence', 'until', 'organization', 'latitude', 'longitude'] as const
        ).map((column) => translate(language, `geofences.${column}`)),
        widths: [24, 20, 28, 28, 24, 24, 14, 14],
        found: rows,
        most: MAX_EVENTS,
        cellsOf: (row) => [
          row.at.toISOString(),
          translate(language, textId(`geofences.event.${row.kind}`)),
          row.assetName,
          row.geofenceName,
          row.until?.toISOString() ?? '',
          row.organizationName,
          String(row.latitude),
          String(row.longitude),
        ],
      });
    },
    import: (caller, upload) =>
      running.run(caller, upload.importId, (run) => importFile(caller, upload, run)),
  };
}
