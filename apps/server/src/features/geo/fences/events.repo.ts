import type { GeofenceEvent } from '@isotherm/contracts/geofences';
import { containing } from '../../../platform/db/like.ts';
import type { Db } from '../../../platform/db/pool.ts';

export interface FenceEventRow extends Omit<GeofenceEvent, 'at' | 'until'> {
  at: Date;
  until: Date | null;
}

export interface FenceEventFilter {
  search?: string | undefined;
  assetId?: number | undefined;
  geofenceId?: number | undefined;
  kind?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

const FROM = `from geofence_event e
  join asset a on a.id = e.asset_id and a.deleted_at is null
  join organization o on o.id = a.organization_id and o.path like $1 || '%'
  join geofence g on g.id = e.geofence_id`;
const WHERE = `where ($2 = '' or lower(a.name || ' ' || g.name) like $2) and ($3::bigint is null or e.asset_id = $3)
   and ($4::bigint is null or e.geofence_id = $4) and ($5::text is null or e.kind = $5)
   and ($6::timestamptz is null or e.at >= $6) and ($7::timestamptz is null or e.at < $7)`;

/** Events of assets in the scope, by the time at which they happened. */
export async function listFenceEvents(
  db: Db,
  scope: string,
  { search = '', assetId, geofenceId, kind, from, to }: FenceEventFilter,
  { order, limit, offset }: { order: 'asc' | 'desc'; limit: number; offset: number },
): Promise<{ rows: FenceEventRow[]; total: number }> {
  const values = [
    scope,
    containing(search.trim().toLowerCase()),
    assetId ?? null,
    geofenceId ?? null,
    kind ?? null,
    from ?? null,
    to ?? null,
  ];
  const [found, count] = await Promise.all([
    db.query<FenceEventRow>(
      `select e.id, e.at, e.kind, e.asset_id as "assetId", a.name as "assetName", e.geofence_id as "geofenceId",
              g.name as "geofenceName", o.name as "organizationName", e.latitude, e.longitude, e.until_at as "until"
         ${FROM} ${WHERE} order by e.at ${order}, e.id ${order} limit $8 offset $9`,
      [...values, limit, offset],
    ),
    db.query<{ count: number }>(`select count(*)::int as count ${FROM} ${WHERE}`, values),
  ]);
  return { rows: found.rows, total: count.rows[0]?.count ?? 0 };
}
