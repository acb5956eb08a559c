import type { WebcamSnapshot } from '@isotherm/contracts/webcams';
import type { SnapshotCause, WebcamFault } from '@isotherm/domain/assets/webcam';
import type { Db } from '../../../platform/db/pool.ts';

export interface SnapshotRow extends Omit<WebcamSnapshot, 'wantedAt' | 'takenAt'> {
  wantedAt: Date;
  takenAt: Date | null;
}

/** SQL for the newest picture of a webcam `w`, as `s`. */
export const NEWEST_PICTURE = `left join lateral (select id, taken_at from webcam_snapshot
                      where webcam_id = w.id and taken_at is not null
                      order by wanted_at desc, id desc limit 1) s on true`;

/** Deleted cameras are included, because alarms keep their snapshots. */
const COLUMNS = `s.id, s.webcam_id as "webcamId", w.name as "webcamName", s.cause, s.alarm_id as "alarmId",
  s.wanted_at as "wantedAt", s.taken_at as "takenAt", s.fault, s.taken_by as "takenBy"`;
const FROM = `from webcam_snapshot s
  join webcam w on w.id = s.webcam_id
  join organization o on o.id = w.organization_id`;

export async function listSnapshotRows(
  db: Db,
  filter: { scope: string; webcamId: number | null; alarmId: number | null },
  page: { limit: number; offset: number },
): Promise<{ rows: SnapshotRow[]; total: number }> {
  const where = `where o.path like $1 || '%' and ($2::bigint is null or s.webcam_id = $2)
      and ($3::bigint is null or s.alarm_id = $3)`;
  const values = [filter.scope, filter.webcamId, filter.alarmId];
  const [rows, count] = await Promise.all([
    db.query<SnapshotRow>(
      `select ${COLUMNS} ${FROM} ${where} order by s.wanted_at desc, s.id desc limit $4 offset $5`,
      [...values, page.limit, page.offset],
    ),
    db.query<{ count: number }>(`select count(*)::int as count ${FROM} ${where}`, values),
  ]);
  return { rows: rows.rows, total: count.rows[0]?.count ?? 0 };
}

export async function findSnapshot(db: Db, id: number): Promise<SnapshotRow | null> {
  const { rows } = await db.query<SnapshotRow>(`select ${COLUMNS} ${FROM} where s.id = $1`, [id]);
  return rows[0] ?? null;
}

/** Returns a picture of a webcam in scope; null without one. */
export async function readPicture(
  db: Db,
  scope: string,
  id: number,
): Promise<{ mediaType: string; bytes: Buffer } | null> {
  const { rows } = await db.query<{ mediaType: string; bytes: Buffer }>(
    `select s.media_type as "mediaType", s.bytes ${FROM}
      where o.path like $1 || '%' and s.id = $2 and s.taken_at is not null`,
    [scope, id],
  );
  return rows[0] ?? null;
}

export interface NewestPicture {
  webcamId: number;
  name: string;
  /** Null if no picture was taken yet. */
  picture: { id: number; takenAt: Date } | null;
}

/** Returns those of these webcams that are in scope, each with its newest picture. */
export async function listNewestPictures(
  db: Db,
  scope: string,
  webcamIds: readonly number[],
): Promise<NewestPicture[]> {
  const { rows } = await db.query<{
    webcamId: number;
    name: string;
    id: number | null;
    takenAt: Date | null;
  }>(
    `select w.id as "webcamId", w.name, s.id, s.taken_at as "takenAt"
       from webcam w join organization o on o.id = w.organization_id ${NEWEST_PICTURE}
      where w.deleted_at is null and o.path like $1 || '%' and w.id = any($2::bigint[]) order by w.id`,
    [scope, webcamIds],
  );
  return rows.map(({ webcamId, name, id, takenAt }) => ({
    webcamId,
    name,
    picture: id === null || takenAt === null ? null : { id, takenAt },
  }));
}

/**
 * Requests snapshots for alarms recorded since a moment: one for each camera of the asset that is configured
 * for alarm snapshots. Late alarms are omitted, because the picture would show another time.
 */
export async function wantForAlarms(db: Db, since: Date, now: Date): Promise<void> {
  await db.query(
    `insert into webcam_snapshot (webcam_id, cause, alarm_id, wanted_at)
     select w.id, 'alarm', a.id, $2
       from alarm a
       join organization p on p.id = a.organization_id
       join webcam w on w.asset_id = a.asset_id and w.snapshot_at_alarm and w.deleted_at is null
       join organization o on o.id = w.organization_id and p.path like o.path || '%'
      where a.recorded_at > $1 and not a.late
     on conflict (alarm_id, webcam_id) where alarm_id is not null do nothing`,
    [since, now],
  );
}

/** Requests the snapshots of schedules that are due, and sets their next time. */
export async function wantBySchedule(db: Db, now: Date): Promise<void> {
  await db.query(
    `with due as (
       update webcam set next_snapshot_at = $1::timestamptz + snapshot_minutes * interval '1 minute'
        where deleted_at is null and next_snapshot_at <= $1 returning id
     )
     insert into webcam_snapshot (webcam_id, cause, wanted_at) select id, 'schedule', $1 from due`,
    [now],
  );
}

/** Requests a snapshot for a user; it is claimed at once. */
export async function wantByPerson(db: Db, webcamId: number, takenBy: string, now: Date): Promise<number> {
  const { rows } = await db.query<{ id: number }>(
    `insert into webcam_snapshot (webcam_id, cause, taken_by, wanted_at, claimed_at)
     values ($1, 'person', $2, $3, $3) returning id`,
    [webcamId, takenBy, now],
  );
  return (rows[0] as { id: number }).id;
}

export interface Wish {
  id: number;
  webcamId: number;
  cause: SnapshotCause;
  /** Path of the camera's organisation. */
  organizationPath: string;
}

/** Returns unclaimed requests in order: the first `most` of each enterprise, alarms first. */
export async function waitingWishes(
  db: Db,
  most: number,
  limits: { abandonedBefore: Date },
): Promise<Wish[]> {
  const { rows } = await db.query<Wish>(
    `select id, webcam_id as "webcamId", cause, path as "organizationPath"
       from (select s.id, s.webcam_id, s.cause, s.wanted_at, o.path,
                    row_number() over (partition by split_part(o.path, '/', 3)
                                       order by s.cause <> 'alarm', s.wanted_at, s.id) as place
               from webcam_snapshot s
               join webcam w on w.id = s.webcam_id
               join organization o on o.id = w.organization_id
              where s.taken_at is null and s.fault is null and (s.claimed_at is null or s.claimed_at < $1)) waiting
      where place <= $2
      order by wanted_at, id`,
    [limits.abandonedBefore, most],
  );
  return rows;
}

/** Claims those of the requests that are still unclaimed; returns their ids. */
export async function claimWishes(
  db: Db,
  ids: readonly number[],
  now: Date,
  limits: { abandonedBefore: Date },
): Promise<Set<number>> {
  const { rows } = await db.query<{ id: number }>(
    `update webcam_snapshot s set claimed_at = $1
       from (select id from webcam_snapshot
              where id = any($3::bigint[]) and taken_at is null and fault is null
                and (claimed_at is null or claimed_at < $2)
              for update skip locked) wished
      where s.id = wished.id
      returning s.id`,
    [now, limits.abandonedBefore, ids],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Marks requests that waited too long as failed, because the picture would show another moment. */
export async function giveUpBefore(db: Db, before: Date): Promise<void> {
  await db.query(
    `update webcam_snapshot set fault = 'timed_out'
      where taken_at is null and fault is null and wanted_at < $1`,
    [before],
  );
}

export async function keepPicture(
  db: Db,
  id: number,
  picture: { mediaType: string; bytes: Buffer; takenAt: Date },
): Promise<void> {
  await db.query(
    'update webcam_snapshot set media_type = $2, bytes = $3, taken_at = $4 where id = $1 and fault is null',
    [id, picture.mediaType, picture.bytes, picture.takenAt],
  );
}

export async function keepFault(db: Db, id: number, fault: WebcamFault): Promise<void> {
  await db.query('update webcam_snapshot set fault = $2 where id = $1 and taken_at is null', [id, fault]);
}

/**
 * Deletes snapshots past their retention, at most `most`; those of alarms are kept longer. Returns the
 * number of deleted snapshots.
 */
export async function forgetPictures(
  db: Db,
  before: Date,
  ofAlarmsBefore: Date | null,
  most: number,
): Promise<number> {
  const { rowCount } = await db.query(
    `delete from webcam_snapshot
      where id in (select id from webcam_snapshot
                    where wanted_at < $1 and (alarm_id is null or wanted_at < $2) limit $3)`,
    [before, ofAlarmsBefore, most],
  );
  return rowCount ?? 0;
}
