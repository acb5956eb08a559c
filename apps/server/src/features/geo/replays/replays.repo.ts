import type { ReplaySpeed } from '@isotherm/contracts/shared-replays';
import type { Db, Tx } from '../../../platform/db/pool.ts';

export const PURPOSE = 'replay';

export interface ReplayRow {
  id: number;
  name: string;
  organizationName: string;
  organizationPath: string;
  assetIds: number[];
  channelIds: number[];
  from: Date;
  to: Date;
  speed: ReplaySpeed;
  skipsStops: boolean;
}

export interface OpenReplayRow extends ReplayRow {
  linkId: number;
  createdAt: Date;
  expiresAt: Date;
  lastOpenedAt: Date | null;
}

const COLUMNS = `r.id::float8 as id, r.name, o.name as "organizationName", o.path as "organizationPath",
  r.asset_ids::float8[] as "assetIds", r.channel_ids::float8[] as "channelIds", r.range_from as "from", r.range_to as "to",
  r.speed, r.skips_stops as "skipsStops"`;

/** Replays of a scope whose links still work, the newest first. */
export async function listOpenReplays(db: Db, scope: string, now: Date): Promise<OpenReplayRow[]> {
  const { rows } = await db.query<OpenReplayRow>(
    `select ${COLUMNS}, l.id::float8 as "linkId", l.created_at as "createdAt", l.expires_at as "expiresAt",
            l.last_used_at as "lastOpenedAt"
       from shared_replay r
       join organization o on o.id = r.organization_id and o.path like $1 || '%'
       join public_link l on l.purpose = '${PURPOSE}' and l.subject_id = r.id and l.revoked_at is null and l.expires_at > $2
      order by r.id desc`,
    [scope, now],
  );
  return rows;
}

export async function findReplay(db: Db, id: number): Promise<ReplayRow | null> {
  const { rows } = await db.query<ReplayRow>(
    `select ${COLUMNS} from shared_replay r join organization o on o.id = r.organization_id where r.id = $1`,
    [id],
  );
  return rows[0] ?? null;
}

export async function insertReplay(
  tx: Tx,
  organizationId: number,
  replay: Omit<ReplayRow, 'id' | 'organizationName' | 'organizationPath'>,
  now: Date,
): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into shared_replay (organization_id, name, asset_ids, channel_ids, range_from, range_to, speed, skips_stops, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning id::float8 as id`,
    [
      organizationId,
      replay.name,
      replay.assetIds,
      replay.channelIds,
      replay.from,
      replay.to,
      replay.speed,
      replay.skipsStops,
      now,
    ],
  );
  return (rows[0] as { id: number }).id;
}

/** Deletes replays of an organisation whose links were revoked, or are forgotten after their expiry. */
export async function deleteClosedReplays(tx: Tx, organizationId: number): Promise<void> {
  await tx.query(
    `delete from shared_replay r where r.organization_id = $1
        and not exists (select from public_link l where l.purpose = '${PURPOSE}' and l.subject_id = r.id and l.revoked_at is null)`,
    [organizationId],
  );
}

/** Serialises the creation of replays of an organisation, so that their number stays limited. */
export async function lockReplays(tx: Tx, organizationId: number): Promise<void> {
  await tx.query('select from organization where id = $1 for no key update', [organizationId]);
}

/** Those of the assets that are in the scope, in their order. */
export async function keepAssets(db: Db, scope: string, ids: readonly number[]): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>(
    `select a.id::float8 as id from asset a join organization o on o.id = a.organization_id and o.path like $1 || '%'
      where a.id = any($2) and a.deleted_at is null`,
    [scope, ids],
  );
  const known = new Set(rows.map(({ id }) => id));
  return ids.filter((id) => known.has(id));
}

/** Those of the channels whose history belongs to the asset, in their order. */
export async function keepChannels(db: Db, assetId: number, ids: readonly number[]): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>(
    'select id::float8 as id from channel where asset_id = $1 and id = any($2)',
    [assetId, ids],
  );
  const known = new Set(rows.map(({ id }) => id));
  return ids.filter((id) => known.has(id));
}
