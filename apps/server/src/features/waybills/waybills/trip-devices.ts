import { AppError, type ErrorCode } from '@isotherm/contracts/errors';
import {
  followTrip,
  joinTrip,
  leaveTrip,
  type TripDeviceFault,
  type TripMove,
} from '@isotherm/domain/waybills/trip-devices';
import type { Course, WaybillStep } from '@isotherm/domain/waybills/waybill';
import type { Actor } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import { type AfterCommit, type Db, NOTHING_AFTER_COMMIT, type Tx } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import type { DeviceMoves } from '../../devices/index.ts';
import {
  addTripDevices,
  dropTripDevices,
  findBindableDevices,
  findOtherTrips,
  listOpenTripDevices,
  saveMissed,
  saveTripBinding,
  saveTripRelease,
  type TripDeviceRow,
} from './trip-devices.repo.ts';

const FAULTS = {
  gone: 'waybill.device_gone',
  'on-trip': 'waybill.device_on_trip',
  elsewhere: 'waybill.device_elsewhere',
} as const satisfies Record<TripDeviceFault, ErrorCode>;

/** The waybill whose devices are bound, locked by the caller. */
interface Trip {
  id: number;
  number: string;
}

/** Who records a step. A departure that nobody records goes ahead without a device that cannot be bound. */
interface Recorder {
  actor: Actor;
  isAutomatic: boolean;
}

/**
 * Devices that are bound to the vehicle or box for the trip of a waybill only. Each function is called last in the transaction
 * that holds the waybill; what it returns runs after the commit.
 */
export interface TripDevices {
  /**
   * Binds the devices at the departure, moves them with the goods, and releases them at the end. `course` is that after the step.
   * Throws `waybill.device_gone|device_on_trip|device_elsewhere`.
   */
  onStep(
    tx: Tx,
    recorder: Recorder,
    trip: Trip,
    step: Exclude<WaybillStep, { action: 'adjust' }>,
    course: Course,
  ): Promise<AfterCommit>;
  /** Stores which devices the waybill names. Under way, added ones are bound and removed ones released. Throws as `onStep`. */
  keep(tx: Tx, actor: Actor, trip: Trip, deviceIds: readonly number[], course: Course): Promise<AfterCommit>;
}

export function createTripDevices(moves: DeviceMoves, clock: Clock): TripDevices {
  interface Plan {
    rows: readonly TripDeviceRow[];
    assetIds: readonly number[];
    recorder: Recorder;
    trip: Trip;
    at: number;
  }

  /** Locks the devices and assets of a plan, and returns each device with the number of the other trip that it is on. */
  async function held(tx: Tx, { rows, assetIds, trip }: Plan) {
    const ids = rows.map(({ deviceId }) => deviceId);
    const { devices, assets } = await moves.hold(tx, ids, assetIds);
    const otherTrips = await findOtherTrips(tx, trip.id, ids);
    const known = rows.flatMap((row) => {
      const device = devices.get(row.deviceId);
      return device ? [{ row, device, otherTrip: otherTrips.get(row.deviceId) ?? null }] : [];
    });
    return { known, assets };
  }

  async function apply(
    tx: Tx,
    { recorder, trip, at }: Plan,
    wanted: readonly { deviceId: number; move: TripMove }[],
  ): Promise<{ since(deviceId: number): Date; announce: AfterCommit }> {
    const bonds = wanted.flatMap(({ deviceId, move }) =>
      move.kind === 'stay' ? [] : [{ deviceId, assetId: move.kind === 'bind' ? move.assetId : null }],
    );
    const stayed = new Date(at);
    if (bonds.length === 0) return { since: () => stayed, announce: NOTHING_AFTER_COMMIT };
    const { since, announce } = await moves.move(tx, recorder.actor, bonds, { at, reason: trip.number });
    return { since: (deviceId) => since.get(deviceId) ?? stayed, announce };
  }

  function refuse(
    fault: TripDeviceFault,
    device: { number: string },
    otherTrip: string | null,
    asset: string,
  ): never {
    throw new AppError(FAULTS[fault], { device: device.number, waybill: otherTrip ?? '', asset });
  }

  async function join(tx: Tx, plan: Plan, assetId: number): Promise<AfterCommit> {
    const { known, assets } = await held(tx, plan);
    const asset = assets.get(assetId);
    if (!asset) throw new AppError('asset.not_found');
    const joined: { deviceId: number; home: number | null; move: TripMove }[] = [];
    for (const { device, otherTrip } of known) {
      const move = joinTrip({ ...device, isOnOtherTrip: otherTrip !== null }, asset);
      if (!('fault' in move)) joined.push({ deviceId: device.id, home: device.assetId, move });
      else if (plan.recorder.isAutomatic) await saveMissed(tx, plan.trip.id, device.id, move.fault);
      else refuse(move.fault, device, otherTrip, asset.name);
    }
    const { since, announce } = await apply(tx, plan, joined);
    for (const { deviceId, home } of joined)
      await saveTripBinding(tx, plan.trip.id, deviceId, since(deviceId), home);
    return announce;
  }

  async function follow(tx: Tx, plan: Plan, from: number, to: number): Promise<AfterCommit> {
    const { known, assets } = await held(tx, plan);
    const asset = assets.get(to);
    if (!asset) throw new AppError('asset.not_found');
    const moved = known.map(({ device, otherTrip }) => {
      const move = followTrip({ ...device, isOnOtherTrip: false }, from, asset);
      return 'fault' in move
        ? refuse(move.fault, device, otherTrip, asset.name)
        : { deviceId: device.id, move };
    });
    return (await apply(tx, plan, moved)).announce;
  }

  async function release(tx: Tx, plan: Plan, from: number): Promise<AfterCommit> {
    const { known, assets } = await held(tx, plan);
    const left = known.map(({ row, device }) => ({
      deviceId: device.id,
      move: leaveTrip(
        { ...device, isOnOtherTrip: false },
        from,
        row.homeAssetId === null ? null : (assets.get(row.homeAssetId) ?? null),
      ),
    }));
    const { since, announce } = await apply(tx, plan, left);
    for (const { deviceId } of left) await saveTripRelease(tx, plan.trip.id, deviceId, since(deviceId));
    return announce;
  }

  const homesOf = (rows: readonly TripDeviceRow[]) =>
    rows.flatMap(({ homeAssetId }) => (homeAssetId === null ? [] : [homeAssetId]));
  const isBound = ({ boundAt }: TripDeviceRow) => boundAt !== null;

  return {
    async onStep(tx, recorder, trip, step, { legs }) {
      const rows = await listOpenTripDevices(tx, trip.id);
      if (rows.length === 0) return NOTHING_AFTER_COMMIT;
      const { at } = step;
      if (step.action === 'depart')
        return join(tx, { rows, assetIds: [step.assetId], recorder, trip, at }, step.assetId);
      const bound = rows.filter(isBound);
      if (step.action === 'transship') {
        const from = legs.at(-2)?.assetId ?? step.assetId;
        return follow(tx, { rows: bound, assetIds: [step.assetId], recorder, trip, at }, from, step.assetId);
      }
      const last = legs.at(-1)?.assetId ?? 0;
      return release(tx, { rows: bound, assetIds: homesOf(bound), recorder, trip, at }, last);
    },
    async keep(tx, actor, trip, deviceIds, { state, legs }) {
      const rows = await listOpenTripDevices(tx, trip.id);
      const removed = rows.filter(({ deviceId }) => !deviceIds.includes(deviceId));
      const added = deviceIds.filter((id) => !rows.some(({ deviceId }) => deviceId === id));
      await dropTripDevices(
        tx,
        trip.id,
        removed.map(({ deviceId }) => deviceId),
      );
      await addTripDevices(tx, trip.id, added);
      const assetId = legs.at(-1)?.assetId;
      if (state !== 'in-transport' || assetId === undefined) return NOTHING_AFTER_COMMIT;
      const recorder = { actor, isAutomatic: false };
      const at = clock.now();
      const leaving = removed.filter(isBound);
      const released =
        leaving.length === 0
          ? NOTHING_AFTER_COMMIT
          : await release(tx, { rows: leaving, assetIds: homesOf(leaving), recorder, trip, at }, assetId);
      const joining = (await listOpenTripDevices(tx, trip.id)).filter((row) => added.includes(row.deviceId));
      const joined =
        joining.length === 0
          ? NOTHING_AFTER_COMMIT
          : await join(tx, { rows: joining, assetIds: [assetId], recorder, trip, at }, assetId);
      return () => {
        released();
        joined();
      };
    },
  };
}

/**
 * Throws `waybill.device_unknown` if the caller cannot bind one of the devices that the waybill does not name yet to the asset: it is
 * out of reach, or belongs to another organisation.
 */
export async function checkTripDevices(
  db: Db,
  caller: Caller,
  { assetId, deviceIds }: { assetId: number; deviceIds: readonly number[] },
  before: { deviceIds: readonly number[] } | null,
): Promise<void> {
  const ids = deviceIds.filter((id) => !before?.deviceIds.includes(id));
  if (ids.length === 0) return;
  const usable = await findBindableDevices(db, caller.scope, assetId, ids);
  if (ids.some((id) => !usable.has(id))) throw new AppError('waybill.device_unknown');
}
