import { EARLY_DEPARTURE_MS } from '@isotherm/domain/waybills/automatic';
import type { Db, Tx } from '../../../platform/db/pool.ts';
import type { Passage } from './automatic-steps.repo.ts';

export type FenceRole = 'departure' | 'arrival';

/** Those of the geofences that the caller can use: own, subordinate, and shared by organisations above. */
export async function findUsableFences(db: Db, scope: string, ids: readonly number[]): Promise<Set<number>> {
  const { rows } = await db.query<{ id: number }>(
    `select g.id from geofence g join organization o on o.id = g.organization_id
       join geofence_version v on v.geofence_id = g.id and v.valid_until = 'infinity'
      where g.id = any($2::bigint[]) and g.deleted_at is null
        and (o.path like $1 || '%' or (v.shared and $1 like o.path || '%'))`,
    [scope, ids],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Stores the geofences of a waybill; those that it has already keep their time. */
export async function saveWaybillFences(
  tx: Tx,
  waybillId: number,
  fences: readonly { role: FenceRole; fenceId: number }[],
  since: Date,
): Promise<void> {
  const values = [waybillId, fences.map(({ role }) => role), fences.map(({ fenceId }) => fenceId)];
  const wanted = 'unnest($2::text[], $3::bigint[]) as n(role, geofence_id)';
  await tx.query(
    `delete from waybill_geofence f
      where f.waybill_id = $1 and not exists (select from ${wanted} where n.role = f.role and n.geofence_id = f.geofence_id)`,
    values,
  );
  await tx.query(
    `insert into waybill_geofence (waybill_id, role, geofence_id, since)
     select $1, n.role, n.geofence_id, $4 from ${wanted} on conflict do nothing`,
    [...values, since],
  );
}

/** Waybills that have not ended and name one of these geofences. */
export async function listWaybillsAtFences(db: Db, fenceIds: readonly number[]): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>({
    name: 'waybills-at-fences',
    text: `select distinct w.id from waybill_geofence f join waybill w on w.id = f.waybill_id
            where f.geofence_id = any($1::bigint[]) and w.state in ('not-shipped', 'in-transport')`,
    values: [fenceIds],
  });
  return rows.map(({ id }) => id);
}

const EARLY = `interval '${EARLY_DEPARTURE_MS} milliseconds'`;

/** When the planned asset of a waybill first left its departure fence; null if it has not. */
export async function findDeparture(db: Db, waybillId: number): Promise<Passage | null> {
  const { rows } = await db.query<Passage>(
    `select e.at, g.name
       from waybill w join waybill_geofence f on f.waybill_id = w.id and f.role = 'departure'
       join geofence g on g.id = f.geofence_id
       join geofence_event e on e.geofence_id = f.geofence_id and e.asset_id = w.asset_id and e.kind in ('leave', 'off-route')
      where w.id = $1 and e.at >= greatest(f.since, w.planned_departure_at - ${EARLY})
      order by e.at, e.id limit 1`,
    [waybillId],
  );
  return rows[0] ?? null;
}

/** When the asset of the current leg first entered one of the arrival fences; null if it has not. */
export async function findArrival(db: Db, waybillId: number): Promise<Passage | null> {
  const { rows } = await db.query<Passage>(
    `select e.at, g.name
       from waybill_leg l join waybill_geofence f on f.waybill_id = l.waybill_id and f.role = 'arrival'
       join geofence g on g.id = f.geofence_id
       join geofence_event e on e.geofence_id = f.geofence_id and e.asset_id = l.asset_id and e.kind = 'enter'
      where l.waybill_id = $1 and l.ended_at is null and e.at > greatest(f.since, l.started_at)
      order by e.at, e.id limit 1`,
    [waybillId],
  );
  return rows[0] ?? null;
}
