import type { Db } from '../../../platform/db/pool.ts';

/** Returns the ids of the trips for a phone: under way and planned ones, and those that ended after a time. */
export async function listTripIds(
  db: Db,
  scope: string,
  /** Only those that this account drives; null: all. */
  driverId: number | null,
  endedAfter: Date,
  limit: number,
): Promise<readonly number[]> {
  const { rows } = await db.query<{ id: number }>(
    `select w.id from waybill w join organization o on o.id = w.organization_id
      where o.path like $1 || '%' and (w.ended_at is null or w.ended_at > $2)
        and ($4::bigint is null or w.driver_id = $4)
      order by w.ended_at is not null, array_position(array['in-transport', 'not-shipped'], w.state),
               min(coalesce(w.planned_delivery_at, w.planned_departure_at)) over (partition by w.organization_id,
                 case when w.tour = '' then w.id::text else '/' || lower(w.tour) end),
               lower(w.tour), w.stop nulls last, coalesce(w.planned_delivery_at, w.planned_departure_at), w.id
      limit $3`,
    [scope, endedAfter, limit, driverId],
  );
  return rows.map(({ id }) => id);
}
