import type { DeviceRenewal } from '@isotherm/contracts/renewal-orders';
import type { Db, Tx } from '../../../platform/db/pool.ts';
import { lastDayOf, renewedUntil } from '../registry/device-view.ts';
import { setExpiry } from '../registry/registry.repo.ts';

/** A renewal of a device: its previous and its new end. */
export interface Extension {
  deviceId: number;
  number: string;
  organizationPath: string;
  before: Date;
  after: Date;
}

/**
 * Renews devices by months from their present expiry on (requirements §9), also if that is long past, and notes it in their
 * histories. Devices that have no expiry, or were deleted for good, are left out of the result.
 */
export async function extendSubscriptions(
  tx: Tx,
  devices: readonly { deviceId: number; months: number }[],
  { orderId, reason, by, now }: { orderId: number | null; reason: string; by: string; now: Date },
): Promise<Extension[]> {
  const months = new Map(devices.map((device) => [device.deviceId, device.months]));
  await tx.query('select 1 from device where id = any($1::bigint[]) order by id for no key update', [
    [...months.keys()],
  ]);
  const { rows } = await tx.query<Omit<Extension, 'after'>>(
    `select d.id::float8 as "deviceId", d.number, o.path as "organizationPath", d.expires_at as before
       from device d join organization o on o.id = d.organization_id
      where d.id = any($1::bigint[]) and d.expires_at is not null and d.removed_at is null order by d.id`,
    [[...months.keys()]],
  );
  const extensions = rows.map((row) => ({
    ...row,
    after: renewedUntil(row.before, months.get(row.deviceId) as number),
  }));
  const ids = extensions.map(({ deviceId }) => deviceId);
  await setExpiry(
    tx,
    ids,
    extensions.map(({ after }) => after),
    by,
    now,
  );
  await tx.query(
    `insert into device_renewal (device_id, order_id, months, expired_at, renewed_until, reason, renewed_by, renewed_at)
     select device_id, $5, months, expired_at, renewed_until, $6, $7, $8
       from unnest($1::bigint[], $2::smallint[], $3::timestamptz[], $4::timestamptz[])
         as r(device_id, months, expired_at, renewed_until)`,
    [
      ids,
      ids.map((id) => months.get(id)),
      extensions.map(({ before }) => before),
      extensions.map(({ after }) => after),
      orderId,
      reason,
      by,
      now,
    ],
  );
  return extensions;
}

/** The renewals of a device, the latest first. */
export async function listRenewals(db: Db, deviceId: number): Promise<DeviceRenewal[]> {
  const { rows } = await db.query<
    Omit<DeviceRenewal, 'expiredOn' | 'renewedOn' | 'renewedAt'> & {
      expiredAt: Date;
      renewedUntil: Date;
      renewedAt: Date;
    }
  >(
    `select r.id::float8 as id, o.number as "orderNumber", r.months, r.expired_at as "expiredAt",
            r.renewed_until as "renewedUntil", r.reason, r.renewed_by as "renewedBy", r.renewed_at as "renewedAt"
       from device_renewal r left join recharge_order o on o.id = r.order_id
      where r.device_id = $1 order by r.id desc limit 200`,
    [deviceId],
  );
  return rows.map(({ expiredAt, renewedUntil: until, renewedAt, ...row }) => ({
    ...row,
    expiredOn: lastDayOf(expiredAt) as string,
    renewedOn: lastDayOf(until) as string,
    renewedAt: renewedAt.toISOString(),
  }));
}
