import { AppError } from '@isotherm/contracts/errors';
import {
  type createMaintenance,
  type editMaintenance,
  type listMaintenance,
  type MaintenanceRecord,
  maintenanceFiles,
} from '@isotherm/contracts/maintenance';
import type { ResponseOf } from '@isotherm/contracts/route';
import { outsideNorms } from '@isotherm/domain/assets/maintenance-norms';
import type pg from 'pg';
import type { z } from 'zod';
import { mountAttachments } from '../../../platform/attachments/attachments.ts';
import type { Audit } from '../../../platform/audit/audit.ts';
import { createKeptRecords } from '../../../platform/audit/kept-records.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import type { Mount } from '../../../platform/http/mount.ts';
import {
  deleteMaintenanceRow,
  findMaintenance,
  insertMaintenance,
  isAssetInScope,
  listMaintenanceRows,
  type MaintenanceRow,
  updateMaintenance,
} from './maintenance.repo.ts';

type ListQuery = z.output<(typeof listMaintenance)['query']>;
type CreateForm = z.output<(typeof createMaintenance)['body']>;
type EditForm = z.output<(typeof editMaintenance)['body']>;

export interface MaintenanceService {
  mountFiles(mount: Mount): void;
  list(caller: Caller, query: ListQuery): Promise<ResponseOf<typeof listMaintenance>>;
  get(caller: Caller, id: number): Promise<MaintenanceRecord>;
  create(caller: Caller, form: CreateForm): Promise<MaintenanceRecord>;
  edit(caller: Caller, id: number, form: EditForm): Promise<MaintenanceRecord>;
  remove(caller: Caller, id: number, reason: string): Promise<null>;
}

/** Maintenance is listed as due a month ahead, so that a visit can be planned. */
const DUE_WITHIN_MS = 30 * 86_400_000;

export function createMaintenanceService(
  pool: pg.Pool,
  audit: Pick<Audit, 'record'>,
  clock: Clock,
): MaintenanceService {
  async function find(db: Db, caller: Caller, id: number): Promise<MaintenanceRow> {
    const row = await findMaintenance(db, caller.scope, id);
    if (!row) throw new AppError('maintenance.not_found');
    return row;
  }
  const kind = { find, objectOf };
  const records = createKeptRecords<MaintenanceRow>(pool, audit, { ...kind, fieldsOf });
  const trace = (caller: Caller) => ({ changedBy: caller.username, changedAt: new Date(clock.now()) });

  return {
    mountFiles: (mount) =>
      mountAttachments(mount, maintenanceFiles, { pool, audit, clock }, 'maintenance', kind),
    async list(caller, { page, pageSize, search, shown, kind, assetId, sort, order }) {
      const { rows, total } = await listMaintenanceRows(
        pool,
        {
          scope: caller.scope,
          search: search.trim(),
          shown,
          kind: kind ?? null,
          assetId: assetId ?? null,
          dueBy: new Date(clock.now() + DUE_WITHIN_MS),
        },
        { sort, order, limit: pageSize, offset: (page - 1) * pageSize },
      );
      return { items: rows.map(viewOf), total };
    },
    /** Throws `maintenance.not_found`. */
    get: async (caller, id) => viewOf(await find(pool, caller, id)),
    /** Throws `asset.not_found`. */
    async create(caller, { assetId, ...form }) {
      const row = await records.create(caller, async (tx) => {
        if (!(await isAssetInScope(tx, caller.scope, assetId))) throw new AppError('asset.not_found');
        return insertMaintenance(tx, assetId, { ...form, ...trace(caller) });
      });
      return viewOf(row);
    },
    /** Throws `maintenance.not_found`. */
    edit: async (caller, id, form) =>
      viewOf(
        await records.change(caller, id, (tx) => updateMaintenance(tx, id, { ...form, ...trace(caller) })),
      ),
    /** Throws `maintenance.not_found`. */
    remove: (caller, id, reason) => records.remove(caller, id, reason, (tx) => deleteMaintenanceRow(tx, id)),
  };
}

function viewOf(row: MaintenanceRow): MaintenanceRecord {
  return {
    id: row.id,
    asset: row.asset,
    organizationName: row.organization_name,
    kind: row.kind,
    doneOn: row.done_on,
    doneBy: row.done_by,
    measured: row.measured,
    work: row.work,
    nextDueOn: row.next_due_on,
    cost: row.cost,
    currency: row.currency,
    outside: outsideNorms(row.measured),
    superseded: row.superseded,
    files: row.files,
    changedBy: row.changed_by,
    changedAt: row.changed_at.toISOString(),
  };
}

function fieldsOf(row: MaintenanceRow) {
  return {
    kind: row.kind,
    doneOn: row.done_on,
    doneBy: row.done_by,
    ...row.measured,
    work: row.work,
    nextDueOn: row.next_due_on,
    cost: row.cost,
    currency: row.currency,
  };
}

function objectOf(row: MaintenanceRow) {
  return {
    objectKind: 'maintenance',
    objectId: row.id,
    objectName: `${row.asset.name} · ${row.done_on}`,
    organizationPath: row.organization_path,
  };
}
