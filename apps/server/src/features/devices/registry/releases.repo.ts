import type { ExpiringDevice } from '@isotherm/contracts/device-registry';
import type { ReleaseState } from '@isotherm/domain/devices/release';
import type { Db } from '../../../platform/db/pool.ts';

/** Returns the release of the data of devices since their present expiry; devices without one are left out. */
export async function listReleases(
  db: Db,
  deviceIds: readonly number[],
): Promise<Map<number, NonNullable<ExpiringDevice['release']>>> {
  const { rows } = await db.query<{
    deviceId: number;
    state: ReleaseState;
    at: Date | null;
    archiveUntil: Date | null;
  }>(
    `select distinct on (r.device_id) r.device_id::float8 as "deviceId", r.state,
            case r.state when 'announced' then r.due_at else r.ended_at end as at,
            case when r.file_hash is not null then r.file_expires_at end as "archiveUntil"
       from device_release r join device d on d.id = r.device_id and d.expires_at = r.expired_at
      where r.device_id = any($1) order by r.device_id, r.id desc`,
    [deviceIds],
  );
  return new Map(
    rows.map(({ deviceId, state, at, archiveUntil }) => [
      deviceId,
      { state, at: at?.toISOString() ?? null, archiveUntil: archiveUntil?.toISOString() ?? null },
    ]),
  );
}
