import { AppError } from '@isotherm/contracts/errors';
import type {
  createPayloadMapping,
  editPayloadMapping,
  getUnmappedValues,
  listDeviceModels,
  listPayloadMappings,
  PayloadMapping,
  tryPayloadMapping,
} from '@isotherm/contracts/payload-mappings';
import type { ResponseOf } from '@isotherm/contracts/route';
import { isRead, NO_MAPPING } from '@isotherm/domain/readings/payload-mapping';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../../platform/audit/audit.ts';
import { createKeptRecords } from '../../../platform/audit/kept-records.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import { findOrganizationPath } from '../../identity/index.ts';
import { listModels } from '../devices.repo.ts';
import {
  deleteMappingRow,
  findMapping,
  findMappingsFor,
  insertMapping,
  listMappingRows,
  type MappingRow,
  updateMapping,
} from './mappings.repo.ts';
import { tryPayload } from './try-payload.ts';
import { findUnmapped, findUnmappedDevice } from './unmapped-values.repo.ts';

type ListQuery = z.output<(typeof listPayloadMappings)['query']>;
type CreateForm = z.output<(typeof createPayloadMapping)['body']>;
type EditForm = z.output<(typeof editPayloadMapping)['body']>;
type TryForm = z.output<(typeof tryPayloadMapping)['body']>;

export interface MappingsService {
  list(caller: Caller, query: ListQuery): Promise<ResponseOf<typeof listPayloadMappings>>;
  /** Throws `mapping.not_found`. */
  get(caller: Caller, id: number): Promise<PayloadMapping>;
  models(caller: Caller): Promise<ResponseOf<typeof listDeviceModels>>;
  create(caller: Caller, form: CreateForm): Promise<PayloadMapping>;
  edit(caller: Caller, id: number, form: EditForm): Promise<PayloadMapping>;
  remove(caller: Caller, id: number, reason: string): Promise<null>;
  /** Throws `device.not_found`. */
  unmapped(caller: Caller, number: string): Promise<ResponseOf<typeof getUnmappedValues>>;
  /** Throws `mapping.payload` if it is not JSON. */
  tryOut(form: TryForm): ResponseOf<typeof tryPayloadMapping>;
}

/** Creates the service for payload mappings. `forgetDevices` is called when a payload mapping has changed. */
export function createMappingsService(
  pool: pg.Pool,
  audit: Pick<Audit, 'record'>,
  clock: Clock,
  forgetDevices: () => void,
): MappingsService {
  async function find(db: Db, caller: Caller, id: number): Promise<MappingRow> {
    const row = await findMapping(db, caller.scope, id);
    if (!row) throw new AppError('mapping.not_found');
    return row;
  }

  const records = createKeptRecords<MappingRow>(pool, audit, {
    find,
    objectOf,
    fieldsOf,
    taken: { constraint: 'payload_mapping_model', code: 'mapping.taken' },
  });
  /** The cache is also cleared after a failure, because cached devices may hold another mapping. */
  const forgetting = <T>(work: Promise<T>): Promise<T> => work.finally(forgetDevices);

  const trace = (caller: Caller) => ({ changedBy: caller.username, changedAt: new Date(clock.now()) });

  return {
    async list(caller, { page, pageSize, search, sort, order }) {
      const { rows, total } = await listMappingRows(pool, caller.scope, search.trim(), {
        sort,
        order,
        limit: pageSize,
        offset: (page - 1) * pageSize,
      });
      return { items: rows.map(viewOf), total };
    },
    get: async (caller, id) => viewOf(await find(pool, caller, id)),
    models: (caller) => listModels(pool, caller.scope),
    /** Throws `organization.not_found`, `mapping.taken`. */
    async create(caller, form) {
      const made = records.create(caller, async (tx) => {
        if ((await findOrganizationPath(tx, caller.scope, form.organizationId)) === null)
          throw new AppError('organization.not_found');
        return insertMapping(tx, { ...form, ...trace(caller) });
      });
      return viewOf(await forgetting(made));
    },
    /** Throws `mapping.not_found|taken`. */
    async edit(caller, id, form) {
      const changed = records.change(caller, id, (tx) =>
        updateMapping(tx, id, { ...form, ...trace(caller) }),
      );
      return viewOf(await forgetting(changed));
    },
    /** Throws `mapping.not_found`. */
    remove: (caller, id, reason) =>
      forgetting(records.remove(caller, id, reason, (tx) => deleteMappingRow(tx, id))),
    async unmapped(caller, number) {
      const device = await findUnmappedDevice(pool, caller.scope, number);
      if (!device) throw new AppError('device.not_found');
      const [kept, mappingOf] = await Promise.all([
        findUnmapped(pool, device.id),
        findMappingsFor(pool, [device]),
      ]);
      const found = mappingOf(device);
      const mapping = found ?? NO_MAPPING;
      const isOwn = found?.deviceModel === device.model && found.organizationPath.startsWith(caller.scope);
      const channels = new Set(device.channels);
      return {
        organizationId: device.organization_id,
        model: device.model,
        mapping: { id: isOwn ? found.id : null, entries: [...mapping.entries], list: mapping.list },
        values: kept.values.filter(({ path }) => !isRead(mapping, path, (channel) => channels.has(channel))),
        undecoded: kept.undecoded,
      };
    },
    tryOut: (form) => tryPayload(form),
  };
}

function viewOf(row: MappingRow): PayloadMapping {
  return {
    id: row.id,
    organizationId: row.organization_id,
    organizationName: row.organization_name,
    deviceModel: row.device_model,
    entries: row.entries,
    list: row.list,
    devices: row.devices,
    changedBy: row.changed_by,
    changedAt: row.changed_at.toISOString(),
  };
}

/** Returns one line per channel, so that the audit log shows which entries changed. */
function fieldsOf({ device_model, entries, list }: MappingRow) {
  return {
    deviceModel: device_model,
    list,
    ...Object.fromEntries(entries.map(({ channel, ...entry }) => [channel, entry])),
  };
}

function objectOf(row: MappingRow) {
  return {
    objectKind: 'payload-mapping',
    objectId: row.id,
    objectName: row.device_model,
    organizationPath: row.organization_path,
  };
}
