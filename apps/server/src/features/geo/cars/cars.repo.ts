import { OUT_OF_SERVICE } from '@isotherm/domain/assets/asset-status';
import type { Db, Tx } from '../../../platform/db/pool.ts';
import type { PlaceRow } from '../geo.repo.ts';

export interface CarRow extends Omit<PlaceRow, 'latitude' | 'longitude'> {
  latitude: number | null;
  longitude: number | null;
}

/**
 * Vehicles in service with their last position, those with the highest open alarm first; of `ids` only, unless it is null. A
 * position after the expiry of its device is hidden (decision 33).
 */
export async function listCarRows(
  db: Db,
  scope: string,
  ids: readonly number[] | null,
  limit: number,
): Promise<CarRow[]> {
  const { rows } = await db.query<CarRow>({
    name: 'list-cars',
    text: `select a.id, coalesce(p.latitude, a.latitude) as latitude, coalesce(p.longitude, a.longitude) as longitude,
                  p.speed_kmh, p.heading_deg, p.measured_at, p.moved_from[1] as from_latitude, p.moved_from[0] as from_longitude
             from asset a
             join organization o on o.id = a.organization_id and o.path like $1 || '%'
             left join asset_position p on p.asset_id = a.id
               and not exists (select from device d where d.id = p.device_id and d.expires_at <= p.measured_at)
             left join lateral (select max(level) as level from alarm where asset_id = a.id and ended_at is null) w on true
            where a.kind = 'vehicle' and a.deleted_at is null and a.status <> all($2) and ($3::bigint[] is null or a.id = any($3))
            order by w.level desc nulls last, a.name, a.id limit $4`,
    values: [scope, OUT_OF_SERVICE, ids, limit],
  });
  return rows;
}

export async function countCars(db: Db, scope: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::int as count from asset a join organization o on o.id = a.organization_id and o.path like $1 || '%'
      where a.kind = 'vehicle' and a.deleted_at is null and a.status <> all($2)`,
    [scope, OUT_OF_SERVICE],
  );
  return rows[0]?.count as number;
}

export const PURPOSE = 'car-screen';

export interface ScreenRow {
  id: number;
  name: string;
  organizationName: string;
  organizationPath: string;
  assetIds: number[];
  intervalS: number;
}

export interface OpenScreenRow extends ScreenRow {
  linkId: number;
  createdAt: Date;
  expiresAt: Date;
  lastOpenedAt: Date | null;
}

const COLUMNS = `s.id::float8 as id, s.name, o.name as "organizationName", o.path as "organizationPath",
  s.asset_ids::float8[] as "assetIds", s.interval_s as "intervalS"`;

/** Full screens of a scope whose links still work, the newest first. */
export async function listOpenScreens(db: Db, scope: string, now: Date): Promise<OpenScreenRow[]> {
  const { rows } = await db.query<OpenScreenRow>(
    `select ${COLUMNS}, l.id::float8 as "linkId", l.created_at as "createdAt", l.expires_at as "expiresAt",
            l.last_used_at as "lastOpenedAt"
       from car_screen s
       join organization o on o.id = s.organization_id and o.path like $1 || '%'
       join public_link l on l.purpose = '${PURPOSE}' and l.subject_id = s.id and l.revoked_at is null and l.expires_at > $2
      order by s.id desc`,
    [scope, now],
  );
  return rows;
}

export async function findScreen(db: Db, id: number): Promise<ScreenRow | null> {
  const { rows } = await db.query<ScreenRow>(
    `select ${COLUMNS} from car_screen s join organization o on o.id = s.organization_id where s.id = $1`,
    [id],
  );
  return rows[0] ?? null;
}

export async function insertScreen(
  tx: Tx,
  screen: { organizationId: number; name: string; assetIds: readonly number[]; intervalS: number },
  now: Date,
): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into car_screen (organization_id, name, asset_ids, interval_s, created_at)
     values ($1, $2, $3, $4, $5) returning id::float8 as id`,
    [screen.organizationId, screen.name, screen.assetIds, screen.intervalS, now],
  );
  return (rows[0] as { id: number }).id;
}

/** Deletes screens of an organisation whose links were revoked, or are forgotten after their expiry. */
export async function deleteClosedScreens(tx: Tx, organizationId: number): Promise<void> {
  await tx.query(
    `delete from car_screen s where s.organization_id = $1
        and not exists (select from public_link l where l.purpose = '${PURPOSE}' and l.subject_id = s.id and l.revoked_at is null)`,
    [organizationId],
  );
}

/** Serialises the creation of screens of an organisation, so that their number stays limited. */
export async function lockScreens(tx: Tx, organizationId: number): Promise<void> {
  await tx.query('select from organization where id = $1 for no key update', [organizationId]);
}
