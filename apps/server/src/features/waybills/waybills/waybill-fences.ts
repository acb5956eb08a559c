import { AppError } from '@isotherm/contracts/errors';
import type { WaybillInput } from '@isotherm/contracts/waybills';
import { take, type WaybillStep } from '@isotherm/domain/waybills/waybill';
import type pg from 'pg';
import type { Actor, Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import { type Db, type Tx, transaction } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import { addTask, type Task } from '../../../platform/jobs/jobs.ts';
import type { FenceEvent } from '../../geo/index.ts';
import { checkDeparture } from './pre-cool.ts';
import type { TripDevices } from './trip-devices.ts';
import {
  type FencePassage,
  findArrival,
  findDeparture,
  findUsableFences,
  listWaybillsAtFences,
  saveWaybillFences,
} from './waybill-fences.repo.ts';
import { limitsAtDeparture } from './waybill-limits.ts';
import { waybillFields, waybillObject } from './waybill-views.ts';
import { findWaybill, insertCustody, lockWaybill, readCourse, saveCourse } from './waybills.repo.ts';

const TASK = 'waybill-geofences';
const MAX_ATTEMPTS = 10;
const SYSTEM: Actor = { accountId: null, username: 'system', sessionId: null, address: '' };
/** Path that every organisation's path begins with. */
const EVERYWHERE = '';
const MOVING: readonly FenceEvent['kind'][] = ['enter', 'leave', 'off-route'];

type Fences = Pick<WaybillInput, 'departureFenceId' | 'arrivalFenceIds'>;

/** Departure and delivery of waybills by geofences. */
export interface WaybillFences {
  /** Adds a task for each waybill that the events may move, in their transaction. */
  onEvents(tx: Tx, events: readonly FenceEvent[]): Promise<void>;
  /** Throws `geofence.in_use` if a waybill that has not ended names the geofence. */
  beforeRemoval(tx: Tx, fenceId: number): Promise<void>;
  tasks: readonly Task[];
}

export function createWaybillFences(
  pool: pg.Pool,
  audit: Pick<Audit, 'record'>,
  clock: Clock,
  devices: TripDevices,
): WaybillFences {
  /**
   * Takes the steps of a waybill that follow from the events at its geofences. What was done follows from its state, so that a
   * task that runs twice or late does no harm.
   */
  async function move(id: number): Promise<void> {
    const afters: (() => void)[] = [];
    await transaction(pool, async (tx) => {
      await lockWaybill(tx, id);
      const before = await findWaybill(tx, EVERYWHERE, id);
      if (!before) return;
      if (before.state === 'not-shipped') {
        const left = await findDeparture(tx, id);
        if (left)
          await step(
            tx,
            id,
            { action: 'depart', at: left.at.getTime(), assetId: before.assetId },
            left,
            afters,
          );
      }
      const entered = await findArrival(tx, id);
      if (entered) await step(tx, id, { action: 'deliver', at: entered.at.getTime() }, entered, afters);
      const after = await findWaybill(tx, EVERYWHERE, id);
      if (!after || after.state === before.state) return;
      await audit.record(tx, SYSTEM, {
        action: 'change',
        ...waybillObject(after),
        organizationPath: after.organizationPath,
        before: waybillFields(before),
        after: waybillFields(after),
      });
    });
    for (const after of afters) after();
  }

  async function step(
    tx: Tx,
    id: number,
    taken: Exclude<WaybillStep, { action: 'adjust' }>,
    { at, name }: FencePassage,
    afters: (() => void)[],
  ): Promise<void> {
    const row = await findWaybill(tx, EVERYWHERE, id);
    if (!row) return;
    const course = take(await readCourse(tx, row), taken, clock.now());
    if ('fault' in course) return;
    const now = new Date(clock.now());
    const limits = taken.action === 'depart' ? await limitsAtDeparture(tx, row) : row.limits;
    if (taken.action === 'depart')
      await checkDeparture(tx, id, {
        assetId: taken.assetId,
        at: taken.at,
        limits,
        username: SYSTEM.username,
        reason: null,
      });
    await saveCourse(tx, id, course, { limits, changedBy: SYSTEM.username, changedAt: now });
    await insertCustody(tx, id, {
      action: taken.action,
      at,
      username: SYSTEM.username,
      person: '',
      note: name,
      assetId: 'assetId' in taken ? taken.assetId : null,
      recordedAt: now,
    });
    afters.push(await devices.onStep(tx, { actor: SYSTEM, isAutomatic: true }, row, taken, course));
  }

  return {
    async onEvents(tx, events) {
      const fenceIds = new Set(
        events.filter(({ kind }) => MOVING.includes(kind)).map(({ geofenceId }) => geofenceId),
      );
      if (fenceIds.size === 0) return;
      for (const waybillId of await listWaybillsAtFences(tx, [...fenceIds]))
        await addTask(tx, TASK, { waybillId }, { key: `${TASK} ${waybillId}`, maxAttempts: MAX_ATTEMPTS });
    },
    async beforeRemoval(tx, fenceId) {
      if ((await listWaybillsAtFences(tx, [fenceId])).length > 0) throw new AppError('geofence.in_use');
    },
    tasks: [
      {
        name: TASK,
        async run(payload) {
          await move((payload as { waybillId: number }).waybillId);
        },
      },
    ],
  };
}

/** Throws `geofence.not_found` if the caller cannot use one of the geofences that the waybill does not name yet. */
export async function checkFences(
  db: Db,
  caller: Caller,
  form: Fences,
  before: Fences | null,
): Promise<void> {
  const known = new Set(before ? idsOf(before) : []);
  const ids = idsOf(form).filter((id) => !known.has(id));
  if (ids.length === 0) return;
  const usable = await findUsableFences(db, caller.scope, ids);
  if (ids.some((id) => !usable.has(id))) throw new AppError('geofence.not_found');
}

const idsOf = ({ departureFenceId, arrivalFenceIds }: Fences): number[] => [
  ...(departureFenceId === null ? [] : [departureFenceId]),
  ...arrivalFenceIds,
];

/** Stores the geofences of a waybill. */
export function keepFences(
  tx: Tx,
  id: number,
  { departureFenceId, arrivalFenceIds }: Fences,
  since: Date,
): Promise<void> {
  const departure =
    departureFenceId === null ? [] : [{ role: 'departure' as const, fenceId: departureFenceId }];
  const arrivals = [...new Set(arrivalFenceIds)].map((fenceId) => ({ role: 'arrival' as const, fenceId }));
  return saveWaybillFences(tx, id, [...departure, ...arrivals], since);
}
