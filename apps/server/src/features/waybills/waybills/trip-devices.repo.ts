import type { ResponseOf } from '@isotherm/contracts/route';
import type { listWaybillDevices, WaybillDetail } from '@isotherm/contracts/waybills';
import type { TripDeviceFault } from '@isotherm/domain/waybills/trip-devices';
import { containing } from '../../../platform/db/like.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';

const MOST = 50;
/** What the caller may bind for a trip on asset $2: devices in scope $1 of the organisation of the asset. */
const BINDABLE = `d.deleted_at is null and d.removed_at is null and o.path like $1 || '%'
   and exists (select from asset t where t.id = $2 and t.organization_id = d.organization_id)`;
const ON_TRIP = `(select w.number from waybill_device t join waybill w on w.id = t.waybill_id
   where t.device_id = d.id and t.bound_at is not null and t.released_at is null)`;

/** Lists devices that can be bound for a trip on an asset, spare ones first. */
export async function searchTripDevices(
  db: Db,
  scope: string,
  assetId: number,
  search: string,
): Promise<ResponseOf<typeof listWaybillDevices>> {
  const { rows } = await db.query<ResponseOf<typeof listWaybillDevices>[number]>(
    `select d.id, d.number, d.name, a.name as "assetName", ${ON_TRIP} as "onTrip"
       from device d join organization o on o.id = d.organization_id left join asset a on a.id = d.asset_id
      where ${BINDABLE} and ($3 = '' or lower(concat_ws(' ', d.number, d.name, d.serial)) like $3)
      order by d.asset_id is not null, d.number limit ${MOST}`,
    [scope, assetId, containing(search.trim().toLowerCase())],
  );
  return rows;
}

/** Those of the devices that the caller may bind for a trip on the asset. */
export async function findBindableDevices(
  db: Db,
  scope: string,
  assetId: number,
  ids: readonly number[],
): Promise<Set<number>> {
  const { rows } = await db.query<{ id: number }>(
    `select d.id from device d join organization o on o.id = d.organization_id
      where ${BINDABLE} and d.id = any($3::bigint[])`,
    [scope, assetId, ids],
  );
  return new Set(rows.map(({ id }) => id));
}

export interface TripDeviceRow {
  deviceId: number;
  boundAt: Date | null;
  homeAssetId: number | null;
}

/** Devices that a waybill names and has not released, in the order in which they were added. */
export async function listOpenTripDevices(db: Db, waybillId: number): Promise<TripDeviceRow[]> {
  const { rows } = await db.query<TripDeviceRow>(
    `select device_id as "deviceId", bound_at as "boundAt", home_asset_id as "homeAssetId"
       from waybill_device where waybill_id = $1 and released_at is null order by id`,
    [waybillId],
  );
  return rows;
}

/** Returns the numbers of other waybills for whose trips devices are bound now, by device. */
export async function findOtherTrips(
  db: Db,
  waybillId: number,
  deviceIds: readonly number[],
): Promise<Map<number, string>> {
  const { rows } = await db.query<{ id: number; number: string }>(
    `select t.device_id as id, w.number from waybill_device t join waybill w on w.id = t.waybill_id
      where t.device_id = any($2::bigint[]) and t.waybill_id <> $1 and t.bound_at is not null and t.released_at is null`,
    [waybillId, deviceIds],
  );
  return new Map(rows.map(({ id, number }) => [id, number]));
}

export async function addTripDevices(tx: Tx, waybillId: number, deviceIds: readonly number[]): Promise<void> {
  await tx.query(
    `insert into waybill_device (waybill_id, device_id)
     select $1, n.id from unnest($2::bigint[]) with ordinality as n(id, place) order by n.place on conflict do nothing`,
    [waybillId, deviceIds],
  );
}

/** Forgets devices that were not bound. */
export async function dropTripDevices(
  tx: Tx,
  waybillId: number,
  deviceIds: readonly number[],
): Promise<void> {
  await tx.query(
    `delete from waybill_device where waybill_id = $1 and device_id = any($2::bigint[]) and bound_at is null`,
    [waybillId, deviceIds],
  );
}

/** Stores that a device is bound for the trip from `at` on, and to which asset it goes back. */
export async function saveTripBinding(
  tx: Tx,
  waybillId: number,
  deviceId: number,
  at: Date,
  homeAssetId: number | null,
): Promise<void> {
  await tx.query(
    `update waybill_device set bound_at = $3, home_asset_id = $4
      where waybill_id = $1 and device_id = $2 and released_at is null`,
    [waybillId, deviceId, at, homeAssetId],
  );
}

export async function saveTripRelease(tx: Tx, waybillId: number, deviceId: number, at: Date): Promise<void> {
  await tx.query(
    `update waybill_device set released_at = greatest(bound_at, $3)
      where waybill_id = $1 and device_id = $2 and released_at is null`,
    [waybillId, deviceId, at],
  );
}

/** Stores why a device was not bound at the departure. */
export async function saveMissed(
  tx: Tx,
  waybillId: number,
  deviceId: number,
  missed: TripDeviceFault,
): Promise<void> {
  await tx.query(
    `update waybill_device set missed = $3 where waybill_id = $1 and device_id = $2 and released_at is null`,
    [waybillId, deviceId, missed],
  );
}

interface ShownDevice {
  id: number;
  number: string;
  name: string;
  boundAt: Date | null;
  releasedAt: Date | null;
  homeAssetName: string | null;
  missed: TripDeviceFault | null;
}

/** Devices of a waybill as people see them, those that were released as well. */
export async function listTripDevices(db: Db, waybillId: number): Promise<WaybillDetail['devices']> {
  const { rows } = await db.query<ShownDevice>(
    `select d.id, d.number, d.name, t.bound_at as "boundAt", t.released_at as "releasedAt",
            h.name as "homeAssetName", t.missed
       from waybill_device t join device d on d.id = t.device_id left join asset h on h.id = t.home_asset_id
      where t.waybill_id = $1 order by t.id`,
    [waybillId],
  );
  return rows.map(({ boundAt, releasedAt, ...device }) => ({
    ...device,
    boundAt: boundAt?.toISOString() ?? null,
    releasedAt: releasedAt?.toISOString() ?? null,
  }));
}
