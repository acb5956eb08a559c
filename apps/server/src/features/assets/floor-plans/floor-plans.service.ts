import type { AssetCard } from '@isotherm/contracts/assets';
import { AppError } from '@isotherm/contracts/errors';
import type { UploadedFile } from '@isotherm/contracts/fields';
import type {
  createFloorPlan,
  editFloorPlan,
  FloorPlan,
  FloorPlanDetail,
  listFloorPlans,
  Placeable,
  PlanValue,
} from '@isotherm/contracts/floor-plans';
import type { Download } from '@isotherm/contracts/route';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import { type Db, type Tx, transaction } from '../../../platform/db/pool.ts';
import { type Caller, ownerOf } from '../../../platform/http/caller.ts';
import { cleanDrawing, looksLikeDrawing } from '../../../platform/images/drawing.ts';
import { pictureKind } from '../../../platform/images/encode.ts';
import type { Images } from '../../../platform/images/images.ts';
import { findOrganizationPath } from '../../identity/index.ts';
import type { MeasuringPlace } from '../assets.service.ts';
import {
  deletePlanRow,
  findPlan,
  insertPlan,
  listPlaceableRows,
  listPlanRows,
  listPoints,
  lockPlan,
  markChanged,
  type Picture,
  type Place,
  type PlanRow,
  readPicture,
  replacePoints,
  updatePicture,
  updatePlan,
} from './floor-plans.repo.ts';

type ListQuery = z.output<(typeof listFloorPlans)['query']>;
type CreateForm = z.output<(typeof createFloorPlan)['body']>;
type EditForm = z.output<(typeof editFloorPlan)['body']>;

const OFFERED = 100;
const EXTENSIONS: Record<FloorPlan['mediaType'], string> = { 'image/webp': 'webp', 'image/svg+xml': 'svg' };

export interface FloorPlansService {
  list(caller: Caller, query: ListQuery): Promise<{ items: FloorPlan[]; total: number }>;
  get(caller: Caller, id: number): Promise<FloorPlanDetail>;
  picture(caller: Caller, id: number): Promise<Download>;
  values(caller: Caller, id: number): Promise<PlanValue[]>;
  placeable(caller: Caller, id: number, search: string): Promise<Placeable[]>;
  create(caller: Caller, form: CreateForm): Promise<FloorPlanDetail>;
  edit(caller: Caller, id: number, version: number, form: EditForm): Promise<FloorPlanDetail>;
  replacePicture(caller: Caller, id: number, file: UploadedFile): Promise<FloorPlanDetail>;
  place(caller: Caller, id: number, version: number, points: readonly Place[]): Promise<FloorPlanDetail>;
  remove(caller: Caller, id: number, reason: string): Promise<null>;
}

/**
 * Creates the service for floor plans: the image of a floor with the positions of assets and their channels.
 */
export function createFloorPlansService(
  pool: pg.Pool,
  audit: Pick<Audit, 'record'>,
  clock: Clock,
  /** Current state of each measuring place, in the same order; null for one that no longer exists. */
  cardsAt: (places: readonly MeasuringPlace[]) => Promise<(AssetCard | null)[]>,
  images: Pick<Images, 'encode'>,
): FloorPlansService {
  /** Returns the sanitised image that is stored; the upload itself is never served. */
  async function pictureOf(caller: Caller, { bytes }: UploadedFile): Promise<Picture> {
    const kind = pictureKind(bytes);
    if (kind === 'png' || kind === 'jpeg') return images.encode(ownerOf(caller), bytes, 'floor-plan');
    if (kind === null && looksLikeDrawing(bytes)) return cleanDrawing(ownerOf(caller), bytes);
    throw new AppError('floor_plan.format');
  }

  async function find(db: Db, caller: Caller, id: number): Promise<PlanRow> {
    const row = await findPlan(db, caller.scope, id);
    if (!row) throw new AppError('floor_plan.not_found');
    return row;
  }

  const detail = async (db: Db, row: PlanRow): Promise<FloorPlanDetail> => ({
    ...viewOf(row),
    points: await listPoints(db, row),
  });

  const changing = (
    caller: Caller,
    id: number,
    version: number | null,
    work: (tx: Tx, before: PlanRow) => Promise<void>,
  ): Promise<FloorPlanDetail> =>
    transaction(pool, async (tx) => {
      await lockPlan(tx, id);
      const before = await find(tx, caller, id);
      if (version !== null && version !== before.version) throw new AppError('floor_plan.changed');
      const pointsBefore = (await listPoints(tx, before)).length;
      await work(tx, before);
      await markChanged(tx, id, caller.username, new Date(clock.now()));
      const after = await find(tx, caller, id);
      const answer = await detail(tx, after);
      await audit.record(tx, caller, {
        action: 'change',
        ...objectOf(after),
        before: fieldsOf(before, pointsBefore),
        after: fieldsOf(after, answer.points.length),
      });
      return answer;
    });

  return {
    async list(caller, { page, pageSize, search, assetId }) {
      const filter = { scope: caller.scope, search: search.trim(), assetId: assetId ?? null };
      const { rows, total } = await listPlanRows(pool, filter, {
        limit: pageSize,
        offset: (page - 1) * pageSize,
      });
      return { items: rows.map(viewOf), total };
    },
    get: async (caller, id) => detail(pool, await find(pool, caller, id)),
    /** Throws `floor_plan.not_found`. */
    async picture(caller, id) {
      await find(pool, caller, id);
      const stored = await readPicture(pool, id);
      if (!stored) throw new AppError('floor_plan.not_found');
      return {
        fileName: `floor-plan-${id}.${EXTENSIONS[stored.mediaType]}`,
        mediaType: stored.mediaType,
        body: (async function* () {
          yield stored.bytes;
        })(),
      };
    },
    /** Throws `floor_plan.not_found`. */
    async values(caller, id) {
      const points = await listPoints(pool, await find(pool, caller, id));
      const cards = await cardsAt(points);
      return points.flatMap(({ assetId, channelId }, at) => {
        const card = cards[at];
        return card ? [{ assetId, channelId, card }] : [];
      });
    },
    /** Throws `floor_plan.not_found`. */
    async placeable(caller, id, search) {
      const { organizationPath } = await find(pool, caller, id);
      return listPlaceableRows(pool, organizationPath, search.trim(), OFFERED);
    },
    /** Throws `organization.not_found`, `floor_plan.format`, `upload.too_large|unreadable`. */
    async create(caller, { file, ...fields }) {
      // The organisation is checked first, so that a file is not decoded for a caller who may not store it.
      if ((await findOrganizationPath(pool, caller.scope, fields.organizationId)) === null)
        throw new AppError('organization.not_found');
      const picture = await pictureOf(caller, file);
      return transaction(pool, async (tx) => {
        const at = new Date(clock.now());
        const id = await insertPlan(tx, { ...fields, ...picture, by: caller.username, at });
        const row = await find(tx, caller, id);
        await audit.record(tx, caller, { action: 'create', ...objectOf(row), after: fieldsOf(row, 0) });
        return detail(tx, row);
      });
    },
    /** Throws `floor_plan.not_found|changed`. */
    edit: (caller, id, version, form) => changing(caller, id, version, (tx) => updatePlan(tx, id, form)),
    /** Throws `floor_plan.not_found|format`, `upload.too_large|unreadable`. */
    async replacePicture(caller, id, file) {
      await find(pool, caller, id);
      const picture = await pictureOf(caller, file);
      return changing(caller, id, null, (tx) => updatePicture(tx, id, picture));
    },
    /** Throws `floor_plan.not_found|changed|point`. */
    place: (caller, id, version, points) =>
      changing(caller, id, version, async (tx, plan) => {
        if ((await replacePoints(tx, plan, points)) !== points.length) throw new AppError('floor_plan.point');
      }),
    /** Throws `floor_plan.not_found`. */
    remove: (caller, id, reason) =>
      transaction(pool, async (tx) => {
        await lockPlan(tx, id);
        const row = await find(tx, caller, id);
        const { length } = await listPoints(tx, row);
        await deletePlanRow(tx, id);
        await audit.record(tx, caller, {
          action: 'delete',
          ...objectOf(row),
          before: fieldsOf(row, length),
          reason,
        });
        return null;
      }),
  };
}

function viewOf({ organizationPath: _, changedAt, ...row }: PlanRow): FloorPlan {
  return { ...row, changedAt: changedAt.toISOString() };
}

function fieldsOf(row: PlanRow, points: number) {
  return {
    organization: row.organizationName,
    name: row.name,
    floor: row.floor,
    picture: row.picture,
    points,
  };
}

function objectOf(row: PlanRow) {
  return {
    objectKind: 'floor-plan',
    objectId: row.id,
    objectName: row.name,
    organizationPath: row.organizationPath,
  };
}
