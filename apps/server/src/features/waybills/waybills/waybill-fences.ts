import { AppError } from '@isotherm/contracts/errors';
import type { WaybillInput } from '@isotherm/contracts/waybills';
import type { Db, Tx } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import { findUsableFences, listWaybillsAtFences, saveWaybillFences } from './waybill-fences.repo.ts';

type Fences = Pick<WaybillInput, 'departureFenceId' | 'arrivalFenceIds'>;

/** Throws `geofence.in_use` if a waybill that has not ended names the geofence. */
export async function refuseUsedFence(tx: Tx, fenceId: number): Promise<void> {
  if ((await listWaybillsAtFences(tx, [fenceId])).length > 0) throw new AppError('geofence.in_use');
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
