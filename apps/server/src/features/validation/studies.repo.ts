import type { STUDY_STATES, ValidationStudy } from '@isotherm/contracts/validation-studies';
import type { StudyResult, StudyType, StudyVerdict } from '@isotherm/domain/assets/validation-study';
import type { Db, Tx } from '../../platform/db/pool.ts';

type StudyState = (typeof STUDY_STATES)[number];

/** A study as the API returns it, with times as dates. */
export interface StudyRow extends Omit<ValidationStudy, 'from' | 'to' | 'judgedAt' | 'changedAt' | 'result'> {
  organizationId: number;
  organizationPath: string;
  from: Date;
  to: Date;
  result: StudyResult | null;
  judgedAt: Date | null;
  changedAt: Date;
}

const CHANNEL = `json_build_object('id', c.id, 'name', c.name, 'deviceNumber', d.number, 'serial', s.serial)`;
const CHANNEL_FROM = `from channel c join sensor s on s.id = c.sensor_id join device d on d.id = c.device_id`;
/**
 * Returns SQL that joins to channel `c` the instrument that measured in it until a moment (`m`), and its
 * last certificate by then (`k`). Another instrument may have replaced it since.
 */
const instrumentUntil = (moment: string) => `join sensor s on s.id = c.sensor_id
  join device d on d.id = c.device_id
  left join lateral (select b.sensor_id, bd.number, coalesce(b.sensor_serial, bs.serial) as serial
                       from binding b join device bd on bd.id = b.device_id join sensor bs on bs.id = b.sensor_id
                      where b.channel_id = c.id and b.valid_until >= ${moment} order by b.valid_until limit 1) p on true
  cross join lateral (select coalesce(p.sensor_id, c.sensor_id) as sensor_id,
                             coalesce(p.number, d.number) as number, coalesce(p.serial, s.serial) as serial) m
  left join lateral (select * from calibration
                      where sensor_id = m.sensor_id and serial = m.serial
                        and calibrated_on::timestamp at time zone 'UTC' <= ${moment}
                      order by calibrated_on desc, id desc limit 1) k on true`;
/**
 * Returns SQL for whether certificate `k` had expired before a moment: it is valid to the end of its last
 * day, UTC.
 */
const endedBefore = (moment: string) => `(k.due_on + 1)::timestamp at time zone 'UTC' < ${moment}`;
/** SQL for the state of a study; `$2` is the current time. */
const STATE = `case when v.result is not null then 'judged' when v.from_at > $2 then 'planned'
                    when v.to_at > $2 then 'measuring' else 'to-judge' end`;
const COLUMNS = `v.id, json_build_object('id', a.id, 'name', a.name, 'code', a.code, 'kind', a.kind) as asset,
  o.id as "organizationId", o.name as "organizationName", o.path as "organizationPath", v.name, v.type,
  v.verifier_unit_id as "verifierUnitId", u.name as "verifierUnitName",
  v.zone_min::text::float8 as "zoneMin", v.zone_max::text::float8 as "zoneMax", v.from_at as "from", v.to_at as "to",
  to_char(v.due_on, 'YYYY-MM-DD') as "dueOn", v.channel_ids as channels,
  coalesce((select json_agg(${CHANNEL} order by array_position(v.channel_ids, c.id))
              ${CHANNEL_FROM} where c.id = any(v.channel_ids)), '[]') as "channelNames",
  coalesce((select array_agg(c.id order by array_position(v.channel_ids, c.id))
              from channel c ${instrumentUntil('v.to_at')}
             where c.id = any(v.channel_ids) and coalesce(${endedBefore('v.to_at')}, true)), '{}') as uncalibrated,
  v.note, ${STATE} as state, v.result, v.judged_by as "judgedBy", v.judged_at as "judgedAt",
  v.changed_by as "changedBy", v.changed_at as "changedAt"`;
const FROM = `from validation_study v join asset a on a.id = v.asset_id
              join organization o on o.id = a.organization_id
              left join verifier_unit u on u.id = v.verifier_unit_id`;
const SORT = {
  from: 'v.from_at',
  dueOn: 'v.due_on',
  assetName: 'lower(a.name)',
  name: 'lower(v.name)',
} as const;

export async function listStudyRows(
  db: Db,
  filter: {
    scope: string;
    now: Date;
    search: string;
    type: StudyType | null;
    state: StudyState | null;
    verdict: StudyVerdict | null;
    assetId: number | null;
  },
  order: { sort: keyof typeof SORT; order: 'asc' | 'desc'; limit: number; offset: number },
): Promise<{ rows: StudyRow[]; total: number }> {
  const where = `where o.path like $1 || '%' and a.deleted_at is null
      and ($3 = '' or position(lower($3) in lower(concat_ws(E'\\n', v.name, a.name, a.code, u.name))) > 0)
      and ($4::text is null or v.type = $4) and ($5::text is null or ${STATE} = $5)
      and ($6::text is null or v.result->>'verdict' = $6) and ($7::bigint is null or v.asset_id = $7)`;
  const { scope, now, search, type, state, verdict, assetId } = filter;
  const values = [scope, now, search, type, state, verdict, assetId];
  const [page, count] = await Promise.all([
    db.query<StudyRow>(
      `select ${COLUMNS} ${FROM} ${where}
        order by ${SORT[order.sort]} ${order.order} nulls last, v.id ${order.order} limit $8 offset $9`,
      [...values, order.limit, order.offset],
    ),
    db.query<{ count: number }>(`select count(*)::int as count ${FROM} ${where}`, values),
  ]);
  return { rows: page.rows, total: count.rows[0]?.count ?? 0 };
}

export async function findStudy(db: Db, scope: string, id: number, now: Date): Promise<StudyRow | null> {
  const { rows } = await db.query<StudyRow>(
    `select ${COLUMNS} ${FROM} where o.path like $1 || '%' and a.deleted_at is null and v.id = $3`,
    [scope, now, id],
  );
  return rows[0] ?? null;
}

/** Locks a study, so that changes and evaluations of it are serialised. */
export async function lockStudy(tx: Tx, id: number): Promise<void> {
  await tx.query('select 1 from validation_study where id = $1 for update', [id]);
}

/** Lists temperature channels of an asset within the scope; null when there is no such asset. */
export async function listAssetChannels(
  db: Db,
  scope: string,
  assetId: number,
): Promise<ValidationStudy['channelNames'] | null> {
  const { rows } = await db.query<{ channels: ValidationStudy['channelNames'] }>(
    `select coalesce((select json_agg(${CHANNEL} order by d.number, s.index)
                        ${CHANNEL_FROM} where c.asset_id = a.id and c.indicator = 'temperature'), '[]') as channels
       from asset a join organization o on o.id = a.organization_id
      where o.path like $1 || '%' and a.deleted_at is null and a.id = $2`,
    [scope, assetId],
  );
  return rows[0]?.channels ?? null;
}

/**
 * Returns the acquisition interval of the slowest device of these channels in ms, from which the allowed gap
 * is derived.
 */
export async function slowestInterval(db: Db, channelIds: readonly number[]): Promise<number> {
  const { rows } = await db.query<{ ms: number | null }>(
    `select max(d.acquisition_interval_ms)::int as ms from channel c join device d on d.id = c.device_id
      where c.id = any($1::int4[])`,
    [channelIds],
  );
  return rows[0]?.ms ?? 0;
}

/** The instrument that measured in a channel until a given moment, with its last certificate by then. */
export interface StudySensorRow {
  channelId: number;
  deviceNumber: string;
  serial: string;
  certificate: string | null;
  laboratory: string | null;
  dueOn: string | null;
  /** Whether the certificate had expired before that moment. */
  expired: boolean;
}

/** Lists the sensors of a study in the order of its channels. */
export async function listStudySensors(
  db: Db,
  channelIds: readonly number[],
  until: Date,
): Promise<StudySensorRow[]> {
  const { rows } = await db.query<StudySensorRow>(
    `select c.id as "channelId", m.number as "deviceNumber", m.serial, k.certificate, k.laboratory,
            to_char(k.due_on, 'YYYY-MM-DD') as "dueOn",
            coalesce(${endedBefore('$2')}, false) as expired
       from channel c
       ${instrumentUntil('$2')}
      where c.id = any($1::int4[])
      order by array_position($1::int4[], c.id)`,
    [channelIds, until],
  );
  return rows;
}

export interface StudyFields
  extends Pick<
    ValidationStudy,
    'name' | 'type' | 'verifierUnitId' | 'zoneMin' | 'zoneMax' | 'from' | 'to' | 'dueOn' | 'channels' | 'note'
  > {
  changedBy: string;
  changedAt: Date;
}

const valuesOf = (study: StudyFields) => [
  study.name,
  study.type,
  study.verifierUnitId,
  study.zoneMin,
  study.zoneMax,
  study.from,
  study.to,
  study.dueOn,
  study.channels,
  study.note,
  study.changedBy,
  study.changedAt,
];

export async function insertStudy(tx: Tx, assetId: number, study: StudyFields): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into validation_study (name, type, verifier_unit_id, zone_min, zone_max, from_at, to_at, due_on, channel_ids,
                                   note, changed_by, changed_at, asset_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) returning id`,
    [...valuesOf(study), assetId],
  );
  return (rows[0] as { id: number }).id;
}

/** Updates a study and clears its result, which belongs to the study before the change. */
export async function updateStudy(tx: Tx, id: number, study: StudyFields): Promise<void> {
  await tx.query(
    `update validation_study set name = $1, type = $2, verifier_unit_id = $3, zone_min = $4, zone_max = $5, from_at = $6,
            to_at = $7, due_on = $8, channel_ids = $9, note = $10, changed_by = $11, changed_at = $12,
            result = null, judged_by = null, judged_at = null
      where id = $13`,
    [...valuesOf(study), id],
  );
}

export async function saveResult(
  tx: Tx,
  id: number,
  judged: { result: StudyResult; by: string; at: Date },
): Promise<void> {
  await tx.query('update validation_study set result = $2, judged_by = $3, judged_at = $4 where id = $1', [
    id,
    JSON.stringify(judged.result),
    judged.by,
    judged.at,
  ]);
}

export async function deleteStudyRow(tx: Tx, id: number): Promise<void> {
  await tx.query('delete from validation_study where id = $1', [id]);
}
