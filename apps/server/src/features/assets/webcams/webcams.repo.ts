import type { listWebcams, Webcam } from '@isotherm/contracts/webcams';
import type { WebcamFault } from '@isotherm/domain/assets/webcam';
import type { z } from 'zod';
import { containing } from '../../../platform/db/like.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';
import { NEWEST_PICTURE } from './snapshots.repo.ts';

type ListQuery = z.output<(typeof listWebcams)['query']>;

export interface WebcamRow extends Omit<Webcam, 'play' | 'checkedAt' | 'snapshotAt' | 'changedAt'> {
  organizationPath: string;
  checkedAt: Date | null;
  snapshotAt: Date | null;
  changedAt: Date;
}

const COLUMNS = `w.id, w.organization_id as "organizationId", o.name as "organizationName", o.path as "organizationPath",
  w.name, w.kind, w.address, w.account_id as "accountId", coalesce(c.name, '') as "accountName", w.asset_id as "assetId",
  coalesce(a.name, '') as "assetName", w.snapshot_minutes as "snapshotMinutes", w.snapshot_at_alarm as "snapshotAtAlarm",
  w.checked_at as "checkedAt", w.fault, s.id as "snapshotId", s.taken_at as "snapshotAt", w.changed_by as "changedBy",
  w.changed_at as "changedAt"`;
const FROM = `from webcam w
  join organization o on o.id = w.organization_id
  left join webcam_account c on c.id = w.account_id
  left join asset a on a.id = w.asset_id
  ${NEWEST_PICTURE}`;
const SORT = { name: 'lower(w.name)', organizationName: 'lower(o.name)', checkedAt: 'w.checked_at' } as const;

export async function listWebcamRows(
  db: Db,
  scope: string,
  { page, pageSize, sort, order, search, ...query }: ListQuery,
): Promise<{ rows: WebcamRow[]; total: number }> {
  const where = `where w.deleted_at is null and o.path like $1 || '%'
      and ($2 = '' or lower(concat_ws(E'\\n', w.name, a.name, a.code)) like $2)
      and ($3 = 'all' or w.checked_at is not null and (w.fault is null) = ($3 = 'working'))
      and ($4::text is null or w.kind = $4)
      and ($5::bigint is null or o.path like (select path from organization where id = $5) || '%')
      and ($6::bigint is null or w.asset_id = $6)`;
  const words = search.trim().toLowerCase();
  const values = [
    scope,
    containing(words),
    query.shown,
    query.kind ?? null,
    query.organizationId ?? null,
    query.assetId ?? null,
  ];
  const [rows, count] = await Promise.all([
    db.query<WebcamRow>(
      `select ${COLUMNS} ${FROM} ${where} order by ${SORT[sort]} ${order} nulls last, w.id limit $7 offset $8`,
      [...values, pageSize, (page - 1) * pageSize],
    ),
    db.query<{ count: number }>(`select count(*)::int as count ${FROM} ${where}`, values),
  ]);
  return { rows: rows.rows, total: count.rows[0]?.count ?? 0 };
}

export async function findWebcam(db: Db, scope: string, id: number): Promise<WebcamRow | null> {
  const { rows } = await db.query<WebcamRow>(
    `select ${COLUMNS} ${FROM} where w.deleted_at is null and o.path like $1 || '%' and w.id = $2`,
    [scope, id],
  );
  return rows[0] ?? null;
}

export async function lockWebcam(tx: Tx, id: number): Promise<void> {
  await tx.query('select 1 from webcam where id = $1 for update', [id]);
}

/** Returns the path of the organisation of an asset in the scope; null if there is no such asset. */
export async function findAssetPath(tx: Tx, scope: string, assetId: number): Promise<string | null> {
  const { rows } = await tx.query<{ path: string }>(
    `select o.path from asset a join organization o on o.id = a.organization_id
      where a.id = $2 and a.deleted_at is null and o.path like $1 || '%'`,
    [scope, assetId],
  );
  return rows[0]?.path ?? null;
}

export interface WebcamFields
  extends Pick<
    Webcam,
    'name' | 'kind' | 'address' | 'accountId' | 'assetId' | 'snapshotMinutes' | 'snapshotAtAlarm'
  > {
  changedBy: string;
  changedAt: Date;
}

const valuesOf = (webcam: WebcamFields) => [
  webcam.name,
  webcam.kind,
  webcam.address,
  webcam.accountId,
  webcam.assetId,
  webcam.snapshotMinutes,
  webcam.snapshotAtAlarm,
  webcam.changedBy,
  webcam.changedAt,
];

/** Inserts a webcam. Its first scheduled snapshot is due at once. */
export async function insertWebcam(tx: Tx, organizationId: number, webcam: WebcamFields): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into webcam (name, kind, address, account_id, asset_id, snapshot_minutes, snapshot_at_alarm, changed_by,
            changed_at, organization_id, next_snapshot_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, case when $6::integer is not null then $9::timestamptz end)
     returning id`,
    [...valuesOf(webcam), organizationId],
  );
  return (rows[0] as { id: number }).id;
}

/** Updates a webcam. If its address changed, the state of the previous address is cleared. */
export async function updateWebcam(tx: Tx, id: number, webcam: WebcamFields): Promise<void> {
  await tx.query(
    `update webcam
        set name = $1, kind = $2, address = $3, account_id = $4, asset_id = $5, snapshot_minutes = $6,
            snapshot_at_alarm = $7, changed_by = $8, changed_at = $9,
            next_snapshot_at = case when $6::integer is null then null
                                    when snapshot_minutes = $6 then next_snapshot_at else $9::timestamptz end,
            fault = case when address = $3 and kind = $2 then fault end,
            checked_at = case when address = $3 and kind = $2 then checked_at end
      where id = $10`,
    [...valuesOf(webcam), id],
  );
}

/** Marks a webcam as deleted and unlinks its account, so that the account can be deleted. */
export async function markWebcamDeleted(tx: Tx, id: number, deletedAt: Date): Promise<void> {
  await tx.query('update webcam set deleted_at = $2, account_id = null where id = $1', [id, deletedAt]);
}

/** Records how the camera responded to the last check. */
export async function setChecked(db: Db, id: number, fault: WebcamFault | null, at: Date): Promise<void> {
  await db.query('update webcam set fault = $2, checked_at = $3 where id = $1', [id, fault, at]);
}

/**
 * Records how the camera responds to viewers, but only if the state has changed or the last record is older
 * than `unless`.
 */
export async function noteAnswer(
  db: Db,
  id: number,
  fault: WebcamFault | null,
  at: Date,
  unless: { since: Date },
): Promise<void> {
  await db.query(
    `update webcam set fault = $2, checked_at = $3
      where id = $1 and (fault is distinct from $2 or checked_at is null or checked_at < $4)`,
    [id, fault, at, unless.since],
  );
}

/** The data that is needed to reach a camera. */
export interface SourceRow extends Pick<Webcam, 'id' | 'kind' | 'address'> {
  accountUrl: string | null;
  username: string | null;
  sealedPassword: Buffer | null;
}

export async function findSource(db: Db, scope: string, id: number): Promise<SourceRow | null> {
  const { rows } = await db.query<SourceRow>(
    `select w.id, w.kind, w.address, c.url as "accountUrl", c.username, c.sealed_password as "sealedPassword"
       from webcam w
       join organization o on o.id = w.organization_id
       left join webcam_account c on c.id = w.account_id
      where w.deleted_at is null and o.path like $1 || '%' and w.id = $2`,
    [scope, id],
  );
  return rows[0] ?? null;
}
