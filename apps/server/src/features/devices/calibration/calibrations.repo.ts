import type {
  CALIBRATION_SHOWN,
  CalibratedSensor,
  CalibrationPointForm,
  UncalibratedSensor,
} from '@isotherm/contracts/calibrations';
import type { CalibrationState } from '@isotherm/domain/devices/calibration';
import { attachmentCount } from '../../../platform/attachments/attachments.repo.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';

export interface CalibrationRow {
  id: number;
  sensor: CalibratedSensor;
  serial: string;
  organization_name: string;
  organization_path: string;
  certificate: string;
  laboratory: string;
  calibrated_on: string;
  due_on: string;
  due_at: Date;
  applied_from: Date | null;
  ended_at: Date | null;
  superseded: boolean;
  points: CalibrationPointForm[];
  files: number;
  note: string;
  changed_by: string;
  changed_at: Date;
}

/** SQL for the end of a certificate's last day, UTC, until which it is valid. */
const DUE_AT = `((c.due_on + 1)::timestamp at time zone 'UTC')`;
/**
 * SQL condition for certificates that are no longer the latest one of an instrument; only the latest counts.
 */
const SUPERSEDED = `(c.ended_at is not null or exists (
  select 1 from calibration n where n.sensor_id = c.sensor_id
     and (n.calibrated_on, n.id) > (c.calibrated_on, c.id)))`;
const SENSOR = `json_build_object(
  'id', s.id, 'index', s.index, 'name', s.name, 'serial', s.serial, 'deviceNumber', d.number, 'assetName', a.name,
  'channels', coalesce((select json_agg(json_build_object('id', ch.id, 'name', ch.name, 'indicator', ch.indicator)
                                        order by ch.id)
                          from channel ch where ch.sensor_id = s.id and ch.retired_at is null), '[]'))`;
const PLACE = `join device d on d.id = s.device_id and d.deleted_at is null
               join organization o on o.id = d.organization_id
               left join asset a on a.id = d.asset_id`;
const COLUMNS = `c.id, ${SENSOR} as sensor, c.serial, o.name as organization_name, o.path as organization_path,
  c.certificate, c.laboratory, to_char(c.calibrated_on, 'YYYY-MM-DD') as calibrated_on,
  to_char(c.due_on, 'YYYY-MM-DD') as due_on, ${DUE_AT} as due_at, c.applied_from, c.ended_at,
  ${SUPERSEDED} as superseded,
  coalesce((select json_agg(json_build_object('channelId', p.channel_id, 'reference', p.reference,
                                              'reading', p.reading, 'uncertainty', p.uncertainty)
                            order by p.channel_id, p.position)
              from calibration_point p join channel ch on ch.id = p.channel_id and ch.retired_at is null
             where p.calibration_id = c.id), '[]') as points,
  ${attachmentCount('calibration', 'c.id')} as files, c.note, c.changed_by, c.changed_at`;
const FROM = `from calibration c join sensor s on s.id = c.sensor_id ${PLACE}`;

const SORT = {
  dueOn: 'c.due_on',
  calibratedOn: 'c.calibrated_on',
  deviceNumber: 'd.number',
  laboratory: 'lower(c.laboratory)',
} as const;

const MATCHES = `($2 = '' or position(lower($2) in lower(concat_ws(E'\\n', d.number, s.serial, a.name, a.code))) > 0`;

export async function listCalibrationRows(
  db: Db,
  filter: {
    scope: string;
    search: string;
    shown: (typeof CALIBRATION_SHOWN)[number];
    now: Date;
    dueSoonBy: Date;
  },
  order: { sort: keyof typeof SORT; order: 'asc' | 'desc'; limit: number; offset: number },
): Promise<{ rows: CalibrationRow[]; total: number }> {
  const where = `where o.path like $1 || '%'
      and ${MATCHES} or position(lower($2) in lower(c.certificate || E'\\n' || c.laboratory || E'\\n' || c.serial)) > 0)
      and case $3::text when 'all' then true
                  when 'overdue' then ${DUE_AT} <= $4 and not ${SUPERSEDED}
                  when 'due-soon' then ${DUE_AT} > $4 and ${DUE_AT} <= $5 and not ${SUPERSEDED}
                  else not ${SUPERSEDED} end`;
  const values = [filter.scope, filter.search, filter.shown, filter.now, filter.dueSoonBy];
  const [page, count] = await Promise.all([
    db.query<CalibrationRow>(
      `select ${COLUMNS} ${FROM} ${where}
        order by ${SORT[order.sort]} ${order.order}, c.id ${order.order} limit $6 offset $7`,
      [...values, order.limit, order.offset],
    ),
    db.query<{ count: number }>(`select count(*)::int as count ${FROM} ${where}`, values),
  ]);
  return { rows: page.rows, total: count.rows[0]?.count ?? 0 };
}

export async function findCalibration(db: Db, scope: string, id: number): Promise<CalibrationRow | null> {
  const { rows } = await db.query<CalibrationRow>(
    `select ${COLUMNS} ${FROM} where o.path like $1 || '%' and c.id = $2`,
    [scope, id],
  );
  return rows[0] ?? null;
}

/**
 * Counts sensors by the state of their latest certificate. The certificates are read once, because most sensors of a large fleet
 * have none, and looking each one up takes most of the time of the dashboard.
 */
export async function countByState(
  db: Db,
  scope: string,
  now: Date,
  dueSoonBy: Date,
): Promise<Map<CalibrationState, number>> {
  const { rows } = await db.query<{ state: CalibrationState; count: number }>(
    `with last as materialized (
       select distinct on (c.sensor_id) ${DUE_AT} as due_at
         from calibration c join sensor s on s.id = c.sensor_id ${PLACE}
        where o.path like $1 || '%' and c.ended_at is null
        order by c.sensor_id, c.calibrated_on desc, c.id desc
     )
     select case when due_at is null then 'never' when due_at <= $2 then 'overdue'
                 when due_at <= $3 then 'due-soon' else 'valid' end as state, sum(count)::int as count
       from (select due_at, 1 as count from last
             union all
             select null, (select count(*) from sensor s ${PLACE} where o.path like $1 || '%') - (select count(*) from last)) sensors
      group by 1 having sum(count) > 0`,
    [scope, now, dueSoonBy],
  );
  return new Map(rows.map((row) => [row.state, row.count]));
}

const MOST_FOUND = 20;

export async function searchSensors(db: Db, scope: string, search: string): Promise<CalibratedSensor[]> {
  const { rows } = await db.query<{ sensor: CalibratedSensor }>(
    `select ${SENSOR} as sensor from sensor s ${PLACE}
      where o.path like $1 || '%' and ${MATCHES}) order by d.number, s.index limit ${MOST_FOUND}`,
    [scope, search],
  );
  return rows.map((row) => row.sensor);
}

const SENSOR_SORT = { deviceNumber: 'd.number', assetName: 'lower(a.name)' } as const;

/** Lists the sensors that `countByState` counts as never calibrated. */
export async function listNeverCalibrated(
  db: Db,
  filter: { scope: string; search: string },
  order: { sort: keyof typeof SENSOR_SORT; order: 'asc' | 'desc'; limit: number; offset: number },
): Promise<{ sensors: UncalibratedSensor[]; total: number }> {
  const where = `where o.path like $1 || '%' and ${MATCHES})
      and not exists (select 1 from calibration c where c.sensor_id = s.id and c.ended_at is null)`;
  const values = [filter.scope, filter.search];
  const [page, count] = await Promise.all([
    db.query<{ sensor: CalibratedSensor; organization_name: string }>(
      `select ${SENSOR} as sensor, o.name as organization_name from sensor s ${PLACE} ${where}
        order by ${SENSOR_SORT[order.sort]} ${order.order} nulls last, d.number, s.index limit $3 offset $4`,
      [...values, order.limit, order.offset],
    ),
    db.query<{ count: number }>(`select count(*)::int as count from sensor s ${PLACE} ${where}`, values),
  ]);
  return {
    sensors: page.rows.map((row) => ({ ...row.sensor, organizationName: row.organization_name })),
    total: count.rows[0]?.count ?? 0,
  };
}

export interface SensorRow {
  sensor: CalibratedSensor;
  organization_path: string;
}

export async function findSensor(db: Db, scope: string, id: number): Promise<SensorRow | null> {
  const { rows } = await db.query<SensorRow>(
    `select ${SENSOR} as sensor, o.path as organization_path from sensor s ${PLACE}
      where o.path like $1 || '%' and s.id = $2`,
    [scope, id],
  );
  return rows[0] ?? null;
}

/** Contents of a certificate; `appliedFrom` is null if it does not correct readings. */
export interface CalibrationFields {
  certificate: string;
  laboratory: string;
  calibratedOn: string;
  dueOn: string;
  appliedFrom: string | null;
  note: string;
  changedBy: string;
  changedAt: Date;
}

const fieldValues = (fields: CalibrationFields) => [
  fields.certificate,
  fields.laboratory,
  fields.calibratedOn,
  fields.dueOn,
  fields.appliedFrom,
  fields.note,
  fields.changedBy,
  fields.changedAt,
];

export async function insertCalibration(
  tx: Tx,
  sensor: { id: number; serial: string },
  fields: CalibrationFields,
): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into calibration (certificate, laboratory, calibrated_on, due_on, applied_from, note, changed_by, changed_at,
                              sensor_id, serial)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning id`,
    [...fieldValues(fields), sensor.id, sensor.serial],
  );
  return (rows[0] as { id: number }).id;
}

export async function updateCalibration(tx: Tx, id: number, fields: CalibrationFields): Promise<void> {
  await tx.query(
    `update calibration set certificate = $1, laboratory = $2, calibrated_on = $3, due_on = $4, applied_from = $5,
            note = $6, changed_by = $7, changed_at = $8 where id = $9`,
    [...fieldValues(fields), id],
  );
}

/**
 * Replaces the points, also those of channels that the sensor used before and that are no longer in the
 * form.
 */
export async function savePoints(tx: Tx, id: number, points: readonly CalibrationPointForm[]): Promise<void> {
  const { rows } = await tx.query<{ channel_id: number }>(
    'delete from calibration_point where calibration_id = $1 returning channel_id',
    [id],
  );
  await tx.query(
    `with point as (
       select * from jsonb_to_recordset($2::jsonb) as p("channelId" int, reference real, reading real, uncertainty real)
     ), everywhere as (
       select "channelId" as channel_id, point.* from point
       union
       select earlier.id, point.* from point join channel own on own.id = "channelId"
         join channel earlier on earlier.indicator = own.indicator and earlier.retired_at is not null
                             and earlier.id = any($3::int4[])
     )
     insert into calibration_point (calibration_id, channel_id, position, reference, reading, uncertainty)
     select $1, channel_id, row_number() over (partition by channel_id order by reading), reference, reading, uncertainty
       from everywhere`,
    [id, JSON.stringify(points), [...new Set(rows.map((row) => row.channel_id))]],
  );
}

/**
 * Ends the certificates of a sensor whose instrument was replaced, because they do not apply to the new one.
 */
export async function endCalibrations(tx: Tx, sensorId: number, serial: string, now: Date): Promise<void> {
  await tx.query(
    'update calibration set ended_at = $3 where sensor_id = $1 and serial <> $2 and ended_at is null',
    [sensorId, serial, now],
  );
}

export async function deleteCalibrationRow(tx: Tx, id: number): Promise<void> {
  await tx.query('delete from calibration where id = $1', [id]);
}
