import type { AssetInput, AssetRecord, ListedAsset, listAssets } from '@isotherm/contracts/asset-registry';
import { AppError } from '@isotherm/contracts/errors';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import { mapRows } from '../../../platform/db/map-rows.ts';
import { type Db, isDuplicate, type Tx, transaction } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import type { ScopedCard } from '../assets.service.ts';
import {
  type AssetFilter,
  countRecords,
  findRecord,
  insertRecord,
  listRecordRows,
  type RecordRow,
  recordRows,
  setDeleted,
  updateRecord,
} from './registry.repo.ts';

type ListQuery = z.output<(typeof listAssets)['query']>;

export interface RegistryService {
  list(caller: Caller, query: ListQuery): Promise<{ items: ListedAsset[]; total: number }>;
  /** Returns all filtered assets for a spreadsheet, with the codes of their organisations. */
  listAll(
    caller: Caller,
    query: Omit<ListQuery, 'page' | 'pageSize'>,
    most: number,
  ): Promise<{ items: AssetRecord[]; codes: ReadonlyMap<number, string> }>;
  get(caller: Caller, id: number): Promise<AssetRecord>;
  create(caller: Caller, form: AssetInput): Promise<AssetRecord>;
  /** `version` is the version on which the edit is based. */
  edit(caller: Caller, id: number, version: number, form: AssetInput): Promise<AssetRecord>;
  remove(caller: Caller, id: number, reason: string): Promise<null>;
  restore(caller: Caller, id: number): Promise<AssetRecord>;
}

/** Creates the asset registry: creating, editing, deleting and restoring assets. */
export function createRegistryService(
  pool: pg.Pool,
  audit: Pick<Audit, 'record'>,
  clock: Clock,
  /** Returns the current state of assets, as on the monitor page. */
  cardsOf: (ids: readonly number[]) => Promise<ScopedCard[]>,
): RegistryService {
  async function find(db: Db, caller: Caller, id: number, purpose?: 'change'): Promise<RecordRow> {
    const row = await findRecord(db, caller.scope, id, purpose);
    if (!row) throw new AppError('asset.not_found');
    return row;
  }

  async function findStanding(tx: Tx, caller: Caller, id: number): Promise<RecordRow> {
    const row = await find(tx, caller, id, 'change');
    if (row.deleted_at !== null) throw new AppError('asset.not_found');
    return row;
  }

  /** Converts a violation of the unique code into the error `asset.code_taken`. */
  async function keepingCodes<T>(code: string, work: (tx: Tx) => Promise<T>): Promise<T> {
    try {
      return await transaction(pool, work);
    } catch (error) {
      if (isDuplicate(error, 'asset_code'))
        throw new AppError('asset.code_taken', { code }, { cause: error });
      throw error;
    }
  }

  return {
    async list(caller, query) {
      const { page, pageSize, sort, order } = query;
      const filter = filterOf(caller, query);
      const [rows, total] = await Promise.all([
        listRecordRows(pool, filter, { sort, order, limit: pageSize, offset: (page - 1) * pageSize }),
        countRecords(pool, filter),
      ]);
      const standing = rows.filter((row) => row.deleted_at === null);
      const cards = new Map(
        (await cardsOf(standing.map(({ id }) => id))).map(({ card }) => [card.id, card] as const),
      );
      const items = rows.map((row) => {
        const card = cards.get(row.id);
        return {
          ...recordOf(row),
          state: card?.state ?? null,
          main: card?.main ?? null,
          cause: card?.cause ?? null,
          silent: card?.silent ?? true,
        };
      });
      return { items, total };
    },
    async listAll(caller, query, most) {
      const { sort, order } = query;
      const all = recordRows(filterOf(caller, query), { sort, order, limit: most, offset: 0 });
      const codes = new Map<number, string>();
      const items = await mapRows(pool, all, (row: RecordRow) => {
        codes.set(row.organization_id, row.organization_code);
        return recordOf(row);
      });
      return { items, codes };
    },
    get: async (caller, id) => recordOf(await find(pool, caller, id)),
    /** Throws `organization.not_found`, `asset.code_taken`. */
    create: (caller, form) =>
      keepingCodes(form.code, async (tx) => {
        const id = await insertRecord(tx, caller.scope, form, new Date(clock.now()));
        if (id === null) throw new AppError('organization.not_found');
        const row = await find(tx, caller, id);
        await audit.record(tx, caller, { action: 'create', ...objectOf(row), after: fieldsOf(row) });
        return recordOf(row);
      }),
    /** Throws `asset.not_found|changed|code_taken|in_use`, `organization.not_found`, `request.invalid`. */
    edit: (caller, id, version, form) =>
      keepingCodes(form.code, async (tx) => {
        const before = await findStanding(tx, caller, id);
        if (before.kind !== form.kind) throw new AppError('asset.not_found');
        if (before.version !== version) throw new AppError('asset.changed');
        if (before.organization_id !== form.organizationId) refuseInUse(before);
        if (!(await updateRecord(tx, caller.scope, id, form))) throw new AppError('organization.not_found');
        const after = await find(tx, caller, id);
        await audit.record(tx, caller, {
          action: 'change',
          ...objectOf(after),
          before: fieldsOf(before),
          after: fieldsOf(after),
        });
        return recordOf(after);
      }),
    /** Throws `asset.not_found|in_use`. */
    remove: (caller, id, reason) =>
      transaction(pool, async (tx) => {
        const row = await findStanding(tx, caller, id);
        refuseInUse(row);
        await setDeleted(tx, id, new Date(clock.now()));
        await audit.record(tx, caller, { action: 'delete', ...objectOf(row), before: fieldsOf(row), reason });
        return null;
      }),
    /** Throws `asset.not_found|code_taken`. */
    async restore(caller, id) {
      const { code } = await find(pool, caller, id);
      return keepingCodes(code, async (tx) => {
        const row = await find(tx, caller, id, 'change');
        if (row.deleted_at === null) throw new AppError('asset.not_found');
        await setDeleted(tx, id, null);
        const after = await find(tx, caller, id);
        await audit.record(tx, caller, { action: 'restore', ...objectOf(after), after: fieldsOf(after) });
        return recordOf(after);
      });
    },
  };
}

function filterOf(caller: Caller, query: Omit<ListQuery, 'page' | 'pageSize'>): AssetFilter {
  return {
    scope: caller.scope,
    search: query.search.trim(),
    kind: query.kind ?? null,
    organizationId: query.organizationId ?? null,
    below: query.below === 'true',
    groupId: query.groupId ?? null,
    status: query.status ?? null,
    type: query.type ?? null,
    binding: query.binding ?? null,
    deleted: query.deleted === 'true',
  };
}

/** Refuses to delete or move an asset with bound devices, because their channels belong to it. */
function refuseInUse({ devices }: RecordRow): void {
  if (devices.length > 0)
    throw new AppError('asset.in_use', { count: devices.length, devices: devices.slice(0, 5).join(', ') });
}

/** The fields as users enter them. */
function fieldsOf(row: RecordRow) {
  return {
    organization: row.organization_name,
    name: row.name,
    code: row.code,
    materialCode: row.material_code,
    nationalCode: row.national_code,
    manufacturer: row.manufacturer,
    factoryNumber: row.factory_number,
    brand: row.brand,
    model: row.model,
    type: row.type,
    plate: row.plate,
    size: row.size,
    volume: row.volume,
    purchaseSource: row.purchase_source,
    dualPower: row.dual_power,
    dualCompressor: row.dual_compressor,
    place: row.place,
    latitude: row.latitude,
    longitude: row.longitude,
    timeZone: row.time_zone,
  };
}

function recordOf(row: RecordRow): AssetRecord {
  const { organization, ...fields } = fieldsOf(row);
  return {
    id: row.id,
    kind: row.kind,
    organizationId: row.organization_id,
    organizationName: organization,
    ...fields,
    status: row.status,
    devices: row.devices,
    createdAt: row.created_at.toISOString(),
    deletedAt: row.deleted_at?.toISOString() ?? null,
    version: row.version,
  };
}

function objectOf(row: RecordRow) {
  return {
    objectKind: 'asset',
    objectId: row.id,
    objectName: row.name,
    organizationPath: row.organization_path,
  };
}
