import { BUTTON_PAUSE_MS, EARLY_DEPARTURE_MS } from '@isotherm/domain/waybills/automatic';
import type { Db, Tx } from '../../../platform/db/pool.ts';

/** A step that something asks for: when, and the name of the geofence or the number of the device. */
export interface Passage {
  at: Date;
  name: string;
}

const EARLY = `interval '${EARLY_DEPARTURE_MS} milliseconds'`;
const PAUSE = `interval '${BUTTON_PAUSE_MS} milliseconds'`;

/**
 * Stores presses for the waybills that they may move: those that wait for a press, of the asset that the button belonged to at
 * that time, or with the device for their trip. Returns these waybills.
 */
export async function insertPresses(
  tx: Tx,
  presses: readonly { channelId: number; at: number }[],
): Promise<number[]> {
  const { rows } = await tx.query<{ id: number }>(
    `with pressed as (
       select distinct c.device_id, c.asset_id, p.at
         from unnest($1::int4[], $2::timestamptz[]) as p(channel_id, at) join channel c on c.id = p.channel_id),
     concerned as (
       select distinct w.id, p.device_id, p.at
         from pressed p
         join waybill w on (w.state = 'not-shipped' and w.depart_by_button or w.state = 'in-transport' and w.deliver_by_button)
          and (w.asset_id = p.asset_id
               or exists (select from waybill_device t
                           where t.waybill_id = w.id and t.device_id = p.device_id and t.released_at is null))
        where p.at >= w.automatic_since),
     stored as (
       insert into waybill_press (waybill_id, device_id, at) select id, device_id, at from concerned on conflict do nothing)
     select distinct id from concerned`,
    [presses.map(({ channelId }) => channelId), presses.map(({ at }) => new Date(at))],
  );
  return rows.map(({ id }) => id);
}

/** The first press by which a waybill departs; null: none. */
export async function findDeparturePress(db: Db, waybillId: number): Promise<Passage | null> {
  const { rows } = await db.query<Passage>(
    `select p.at, d.number as name
       from waybill w join waybill_press p on p.waybill_id = w.id join device d on d.id = p.device_id
      where w.id = $1 and w.depart_by_button and p.at >= greatest(w.automatic_since, w.planned_departure_at - ${EARLY})
      order by p.at, d.id limit 1`,
    [waybillId],
  );
  return rows[0] ?? null;
}

/** The first press by which a waybill under way is delivered; null: none. */
export async function findDeliveryPress(db: Db, waybillId: number): Promise<Passage | null> {
  const { rows } = await db.query<Passage>(
    `select p.at, d.number as name
       from waybill w join waybill_leg l on l.waybill_id = w.id and l.ended_at is null
       join waybill_press p on p.waybill_id = w.id join device d on d.id = p.device_id
      where w.id = $1 and w.deliver_by_button and p.at >= w.automatic_since
        and p.at >= w.departed_at + ${PAUSE} and p.at > l.started_at
      order by p.at, d.id limit 1`,
    [waybillId],
  );
  return rows[0] ?? null;
}

/** When a waybill departs and is delivered by its planned times; null: not by itself, or not possible. */
export async function findDueTimes(
  db: Db,
  waybillId: number,
): Promise<{ departure: Date | null; delivery: Date | null }> {
  const { rows } = await db.query<{ departure: Date | null; delivery: Date | null }>(
    `select case when w.depart_at_time then ${DEPARTURE} end as departure,
            case when w.deliver_at_time and ${DELIVERY} > l.started_at then ${DELIVERY} end as delivery
       from waybill w left join waybill_leg l on l.waybill_id = w.id and l.ended_at is null where w.id = $1`,
    [waybillId],
  );
  return rows[0] ?? { departure: null, delivery: null };
}

const DEPARTURE = 'greatest(w.planned_departure_at, w.automatic_since)';
const DELIVERY = 'greatest(w.planned_delivery_at, w.automatic_since)';

/** Waybills whose planned departure or delivery is due, the earliest first. */
export async function listDueWaybills(db: Db, now: Date, most: number): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>(
    `select w.id from waybill w
      where w.depart_at_time and w.state = 'not-shipped' and w.planned_departure_at <= $1
     union all
     select w.id from waybill w join waybill_leg l on l.waybill_id = w.id and l.ended_at is null
      where w.deliver_at_time and w.state = 'in-transport' and w.planned_delivery_at <= $1
        and ${DELIVERY} > l.started_at
      order by id limit $2`,
    [now, most],
  );
  return rows.map(({ id }) => id);
}
