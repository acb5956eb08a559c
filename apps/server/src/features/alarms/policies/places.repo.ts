import type { Db } from '../../../platform/db/pool.ts';

/**
 * The time for which stages of shipments are compiled: `now`, or that of the stage clock if it is later. The clock of the process that
 * compiles may be behind that of the process which requested it.
 */
export async function readStageTime(db: Db, now: Date): Promise<Date> {
  const { rows } = await db.query<{ at: Date }>(
    'select greatest($1::timestamptz, max(at)) as at from alarm_stage_clock',
    [now],
  );
  return rows[0]?.at ?? now;
}

/**
 * SQL for where the assets of the channels of `live` are, as far as rules ask for it: at the origin or the destination of shipments
 * (`staged`), and in geofences (`stays`). PostgreSQL evaluates them only if there are such rules. `time` is the SQL parameter with the
 * result of `readStageTime`. A stay in an earlier version of a geofence lasts until the next position, which is judged by the present one.
 */
export const placesAt = (time: string): string => `staged as materialized (
       select asset_id, stage from trip_stages()
        where stage <> 'in-transit' and begins_at <= ${time}::timestamptz and ${time}::timestamptz < ends_at
          and anchor_at between ${time}::timestamptz - interval '2 days' and ${time}::timestamptz + interval '2 days'
     ), stays as materialized (
       select asset_id, geofence_id from geofence_event
        where until_at is null and kind in ('enter', 'found') and asset_id in (select asset_id from live)
     )`;

/**
 * SQL for whether a rule `r` of a policy applies to a channel `a` of `applies`, which depends on the shipments that its asset carries and
 * on the geofences in which it is. What is not known to be inside is outside, so that one of the two sides always applies.
 */
export const HOLDS = `((r.leg is null or case r.leg
         when 'at-origin' then coalesce(a.asset_id in (select asset_id from staged where stage = 'origin'), false)
         when 'at-destination' then coalesce(a.asset_id in (select asset_id from staged where stage = 'destination'), false)
         else (r.leg <> 'not-in-transit') = exists (
           select from waybill_leg l where l.asset_id = a.asset_id and l.ended_at is null) end)
       and (r.fence_id is null or (r.fence_side = 'inside') = coalesce(
         (a.asset_id, r.fence_id) in (select asset_id, geofence_id from stays), false)))`;
