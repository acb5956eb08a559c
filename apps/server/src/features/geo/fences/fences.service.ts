import { AppError } from '@isotherm/contracts/errors';
import {
  type Geofence,
  type GeofenceEvent,
  type GeofenceInput,
  type listFenceOutlines,
  type listGeofenceEvents,
  type listGeofences,
  MAX_FENCES,
} from '@isotherm/contracts/geofences';
import type { ResponseOf } from '@isotherm/contracts/route';
import { type FenceShape, placesOf } from '@isotherm/domain/geo/fence';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../../platform/audit/audit.ts';
import { createKeptRecords } from '../../../platform/audit/kept-records.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import { findOrganizationPath } from '../../identity/index.ts';
import { type FenceEventRow, listFenceEvents } from './events.repo.ts';
import {
  countFences,
  endFence,
  type FenceFilter,
  type FenceRow,
  type FenceTrace,
  findFence,
  insertFence,
  listFenceRows,
  lockFence,
  replaceVersion,
  updateFence,
} from './fences.repo.ts';

/** Refuses changes of geofences that other features use. `scope` is that of the caller, for names in errors. */
export interface FenceUses {
  /** Throws if a geofence must not be deleted. */
  beforeRemoval(tx: Tx, id: number, scope: string): Promise<void>;
  /** Throws if a geofence must go on applying to the organisations below. */
  beforeUnsharing(tx: Tx, id: number, scope: string): Promise<void>;
}

/** Geofences of organisations, and what assets did at them. */
export interface FencesService {
  list(
    caller: Caller,
    query: z.output<(typeof listGeofences)['query']>,
  ): Promise<ResponseOf<typeof listGeofences>>;
  outlines(caller: Caller): Promise<ResponseOf<typeof listFenceOutlines>>;
  /** The first `MAX_FENCES` geofences of the list, for a file. */
  listAll(caller: Caller, filter: FenceFilter): Promise<FenceRow[]>;
  events(
    caller: Caller,
    query: z.output<(typeof listGeofenceEvents)['query']>,
  ): Promise<ResponseOf<typeof listGeofenceEvents>>;
  /** Throws `geofence.not_found`. */
  get(caller: Caller, id: number): Promise<Geofence>;
  /** Throws `organization.not_found`, `geofence.taken|too_many`. */
  create(caller: Caller, form: GeofenceInput): Promise<Geofence>;
  /** Throws `organization.not_found`, `geofence.not_found|taken` and what `beforeUnsharing` throws. */
  edit(caller: Caller, id: number, form: GeofenceInput): Promise<Geofence>;
  /** Throws `geofence.not_found` and what `beforeRemoval` throws. */
  remove(caller: Caller, id: number, reason: string): Promise<null>;
}

/** Name of the unique index on the name. */
export const GEOFENCE_NAME = 'geofence_name';

export function createFencesService(
  pool: pg.Pool,
  audit: Pick<Audit, 'record'>,
  clock: Clock,
  uses: FenceUses,
): FencesService {
  async function findVisible(db: Db, caller: Caller, id: number): Promise<FenceRow> {
    const row = await findFence(db, caller.scope, id);
    if (!row) throw new AppError('geofence.not_found');
    return row;
  }

  async function find(db: Db, caller: Caller, id: number): Promise<FenceRow> {
    const row = await findVisible(db, caller, id);
    // A fence of an organisation above applies, but cannot be changed.
    if (!row.editable) throw new AppError('geofence.not_found');
    return row;
  }

  const records = createKeptRecords<FenceRow>(pool, audit, {
    find,
    lock: lockFence,
    objectOf: (row) => ({ ...fenceObject(row), organizationPath: row.organizationPath }),
    fieldsOf: (row) => fenceFields(row, row.organizationName),
    taken: { constraint: GEOFENCE_NAME, code: 'geofence.taken' },
  });

  const trace = (caller: Caller): FenceTrace => ({
    changedBy: caller.username,
    changedAt: new Date(clock.now()),
  });

  return {
    async list(caller, { page, pageSize, sort, order, ...filter }) {
      const { rows, total } = await listFenceRows(pool, caller.scope, filter, {
        sort,
        order,
        limit: pageSize,
        offset: (page - 1) * pageSize,
      });
      return { items: rows.map(viewOf), total };
    },
    async outlines(caller) {
      const { rows, total } = await listFenceRows(pool, caller.scope, { search: '' }, FIRST);
      return { fences: rows.map(({ id, name, shape, inside }) => ({ id, name, shape, inside })), total };
    },
    listAll: async (caller, filter) => (await listFenceRows(pool, caller.scope, filter, FIRST)).rows,
    async events(caller, { page, pageSize, order, sort: _, ...filter }) {
      const { rows, total } = await listFenceEvents(pool, caller.scope, filter, {
        order,
        limit: pageSize,
        offset: (page - 1) * pageSize,
      });
      return { items: rows.map(eventOf), total };
    },
    get: async (caller, id) => viewOf(await findVisible(pool, caller, id)),
    create: async (caller, form) =>
      viewOf(
        await records.create(caller, async (tx) => {
          if ((await findOrganizationPath(tx, caller.scope, form.organizationId)) === null)
            throw new AppError('organization.not_found');
          if ((await countFences(tx, form.organizationId)) >= MAX_FENCES)
            throw new AppError('geofence.too_many', { most: MAX_FENCES });
          return insertFence(tx, { ...form, ...trace(caller) });
        }),
      ),
    edit: async (caller, id, form) =>
      viewOf(
        await records.change(caller, id, async (tx, before) => {
          // Its past belongs to the organisation in whose assets it was judged.
          if (form.organizationId !== before.organizationId) throw new AppError('organization.not_found');
          if (before.shared && !form.shared) await uses.beforeUnsharing(tx, id, caller.scope);
          const next = { ...form, ...trace(caller) };
          await updateFence(tx, id, next);
          if (changesJudgement(before, form)) await replaceVersion(tx, id, next);
        }),
      ),
    remove: (caller, id, reason) =>
      records.remove(caller, id, reason, async (tx) => {
        await uses.beforeRemoval(tx, id, caller.scope);
        await endFence(tx, id, trace(caller));
      }),
  };
}

const FIRST = { sort: 'name', order: 'asc', limit: MAX_FENCES, offset: 0 } as const;

const viewOf = ({ organizationPath: _, changedAt, ...row }: FenceRow): Geofence => ({
  ...row,
  changedAt: changedAt.toISOString(),
});

export const eventOf = ({ at, until, ...row }: FenceEventRow): GeofenceEvent => ({
  ...row,
  at: at.toISOString(),
  until: until?.toISOString() ?? null,
});

/** True if positions from now on are judged in another way. */
function changesJudgement(before: FenceRow, form: GeofenceInput): boolean {
  return (
    before.marginM !== form.marginM ||
    before.dwellMinutes !== form.dwellMinutes ||
    before.shared !== form.shared ||
    shapeText(before.shape) !== shapeText(form.shape)
  );
}

/** Describes the geofence as the object of an audit entry. */
export function fenceObject({ id, name }: { id: number; name: string }) {
  return { objectKind: 'geofence', objectId: id, objectName: name };
}

/** Fields of a geofence in audit entries. */
export function fenceFields(form: Omit<GeofenceInput, 'organizationId'>, organization: string) {
  return {
    organization,
    name: form.name,
    shape: shapeText(form.shape),
    marginM: form.marginM,
    dwellMinutes: form.dwellMinutes,
    shared: form.shared,
    note: form.note,
  };
}

/** A shape as one line: kind, size in metres and places as latitude and longitude. */
function shapeText(shape: FenceShape): string {
  const size = shape.kind === 'circle' ? shape.radiusM : shape.kind === 'corridor' ? shape.sideM : '';
  const places = placesOf(shape).map(({ latitude, longitude }) => `${latitude},${longitude}`);
  return [shape.kind, size, ...places].filter((part) => part !== '').join(' ');
}
