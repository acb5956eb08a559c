import type { TourWaybill } from '@isotherm/domain/waybills/tour-stops';
import { LOCK_SPACES } from '../../../platform/db/lock-keys.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';
import type { WaybillRow } from '../waybills/waybills.repo.ts';

export interface TourRow extends Omit<TourWaybill, 'plannedAt'> {
  number: string;
  assetId: number;
  assetName: string;
  consigneeUnit: string;
  consigneeAddress: string;
  plannedDepartureAt: Date;
  plannedDeliveryAt: Date | null;
  departedAt: Date | null;
  endedAt: Date | null;
  /** Less was received than the waybill says. */
  isPart: boolean;
}

/** A tour is not longer than this. Numbers of tours are used again, so that the newest waybills are read. */
const MOST = 200;

/** Returns the waybills with the tour of a waybill, itself included; none without a tour. */
export async function listTour(
  db: Db,
  { organizationId, tour }: Pick<WaybillRow, 'organizationId' | 'tour'>,
  /** Only those that this account drives; null: all. */
  driverId: number | null,
): Promise<TourRow[]> {
  if (tour === '') return [];
  const { rows } = await db.query<TourRow>(
    `select w.id, w.number, w.stop, w.state, w.asset_id as "assetId", a.name as "assetName",
            w.consignee_unit as "consigneeUnit", w.consignee_address as "consigneeAddress",
            w.planned_departure_at as "plannedDepartureAt", w.planned_delivery_at as "plannedDeliveryAt", w.departed_at as "departedAt", w.ended_at as "endedAt",
            exists (select from waybill_handover h
                      cross join jsonb_to_recordset(h.received) as r(quantity float8, received float8)
                     where h.waybill_id = w.id and h.kind = 'deliver' and r.received < r.quantity) as "isPart"
       from waybill w join asset a on a.id = w.asset_id
      where w.organization_id = $1 and lower(w.tour) = lower($2) and w.tour <> ''
        and ($3::bigint is null or w.driver_id = $3)
      order by w.id desc limit ${MOST}`,
    [organizationId, tour, driverId],
  );
  return rows;
}

/**
 * Locks the tours of organisations until the transaction ends: of two that put a tour on a vehicle at once, the second one sees the
 * vehicle of the first one. One lock for all tours of an organisation, because an import may name thousands.
 */
export async function lockTours(tx: Tx, organizationIds: readonly number[]): Promise<void> {
  await tx.query(
    `select pg_advisory_xact_lock($1, hashint8(id))
       from (select distinct id from unnest($2::bigint[]) as n(id) order by id) as organization`,
    [LOCK_SPACES.tours, organizationIds],
  );
}

/** Returns the vehicle of each of these tours by what has not ended on it, as `<organisation id> <tour in lower case>`. */
export async function findTourAssets(
  db: Db,
  wanted: readonly { organizationId: number; tour: string }[],
  /** A waybill that does not count; null: all do. */
  except: number | null,
): Promise<ReadonlyMap<string, { id: number; name: string }>> {
  const { rows } = await db.query<{ key: string; id: number; name: string }>(
    `select distinct on (key) w.organization_id || ' ' || lower(w.tour) as key, a.id, a.name
       from waybill w join asset a on a.id = w.asset_id
       join unnest($1::bigint[], $2::text[]) as n(organization_id, tour)
         on n.organization_id = w.organization_id and lower(n.tour) = lower(w.tour)
      where w.tour <> '' and w.state in ('not-shipped', 'in-transport') and ($3::bigint is null or w.id <> $3)
      order by key, w.id`,
    [wanted.map(({ organizationId }) => organizationId), wanted.map(({ tour }) => tour), except],
  );
  return new Map(rows.map(({ key, id, name }) => [key, { id, name }]));
}
