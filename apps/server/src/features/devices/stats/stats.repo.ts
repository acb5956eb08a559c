import type { DeviceStats } from '@isotherm/contracts/device-stats';
import { ATTENTIONS, SIGNAL_WEAK_DBM } from '@isotherm/domain/devices/attention';
import { CONNECTION_STATES, DEVICE_TYPES, TERM_STATES } from '@isotherm/domain/devices/device-state';
import type { Db } from '../../../platform/db/pool.ts';
import { CONNECTION, needs, TERM } from '../registry/device-filter.ts';

const NOW = '$2::timestamptz';
/** Devices in use of the organisation whose path is $1, and below. */
const DEVICES = `from device d join organization o on o.id = d.organization_id
      where o.path like $1 || '%' and d.deleted_at is null and d.removed_at is null`;
const counts = (what: string, values: readonly string[]) =>
  `json_build_object(${values.map((value) => `'${value}', count(*) filter (where ${what} = '${value}')`).join(', ')})`;

export type Totals = Pick<DeviceStats, 'total' | 'connections' | 'terms' | 'types' | 'bound' | 'attention'>;

/** The moments are those of `momentsOf`, whose scope is the path. */
export async function countTotals(db: Db, moments: readonly unknown[]): Promise<Totals> {
  const { rows } = await db.query<Totals>(
    `select count(*)::int as total, ${counts('connection', CONNECTION_STATES)} as connections,
            ${counts('term', TERM_STATES)} as terms, ${counts('type', DEVICE_TYPES)} as types,
            count(*) filter (where bound)::int as bound,
            json_build_object(${ATTENTIONS.map((each) => `'${each}', count(*) filter (where "${each}")`).join(', ')}) as attention
       from (select ${CONNECTION} as connection, ${TERM} as term, d.type, d.asset_id is not null as bound,
                    ${ATTENTIONS.map((each) => `${needs(each, NOW)} as "${each}"`).join(', ')}
               from device d left join device_presence p on p.device_id = d.id
              where d.id in (select d.id ${DEVICES})) f`,
    [...moments],
  );
  return rows[0] as Totals;
}

export async function countModels(
  db: Db,
  moments: readonly unknown[],
  limit: number,
): Promise<(DeviceStats['models'][number] & { all: number })[]> {
  const { rows } = await db.query<DeviceStats['models'][number] & { all: number }>(
    `select model, count(*)::int as total, ${counts('connection', CONNECTION_STATES)} as connections,
            sum(count(*)) over ()::int as all
       from (select d.model, ${CONNECTION} as connection
               from device d left join device_presence p on p.device_id = d.id
              where d.id in (select d.id ${DEVICES}) and $3::timestamptz < $4::timestamptz) f
      group by model order by total desc, model limit $5`,
    [...moments, limit],
  );
  return rows;
}

/** By what is directly below the path, and '' for its own; completeness over so many days. */
export async function countOrganizations(
  db: Db,
  moments: readonly unknown[],
  days: number,
  limit: number,
): Promise<(DeviceStats['organizations'][number] & { all: number })[]> {
  const { rows } = await db.query<DeviceStats['organizations'][number] & { all: number }>(
    `with found as (
       select split_part(substr(o.path, length($1) + 1), '/', 1) as below, ${CONNECTION} as connection, b.received, b.due
         from device d join organization o on o.id = d.organization_id
         left join device_presence p on p.device_id = d.id left join device_completeness b on b.device_id = d.id and b.days = $5
        where o.path like $1 || '%' and d.deleted_at is null and d.removed_at is null
          and $3::timestamptz < $4::timestamptz
     ), summed as (
       select below, count(*)::int as total, ${counts('connection', CONNECTION_STATES)} as connections,
              coalesce(sum(received), 0)::float8 as received, coalesce(sum(due), 0)::float8 as due,
              sum(count(*)) over ()::int as all
         from found group by below order by below = '', total desc limit $6
     )
     select o.id, o.name, below = '' as "isOwn", total, connections, received, due, s.all
       from summed s join organization o on o.path = $1 || case when below = '' then '' else below || '/' end
      order by below = '', total desc, o.name`,
    [...moments, days, limit],
  );
  return rows;
}

/** The newest day that was counted, as `2026-05-31`; null before the first. */
export async function findLastCounted(db: Db): Promise<string | null> {
  const { rows } = await db.query<{ day: string | null }>('select max(day)::text as day from counted_day');
  return rows[0]?.day ?? null;
}

export async function listDays(
  db: Db,
  path: string,
  since: string,
): Promise<DeviceStats['completeness']['days']> {
  const { rows } = await db.query<DeviceStats['completeness']['days'][number]>(
    `select t.day::text as day, sum(t.received)::float8 as received, sum(t.due)::float8 as due
       from organization_day t join organization o on o.id = t.organization_id
      where o.path like $1 || '%' and t.day >= $2 group by t.day order by t.day`,
    [path, since],
  );
  return rows;
}

export async function listWorst(
  db: Db,
  path: string,
  days: number,
  limit: number,
): Promise<DeviceStats['completeness']['worst']> {
  const { rows } = await db.query<DeviceStats['completeness']['worst'][number]>(
    `select d.number, d.name, o.name as "organizationName", w.received::float8 as received, w.due::float8 as due
       from device_completeness w join device d on d.id = w.device_id join organization o on o.id = d.organization_id
      where w.days = $2 and w.received < w.due and o.path like $1 || '%' and d.deleted_at is null
        and d.removed_at is null
      order by w.received::float8 / w.due, d.number limit $3`,
    [path, days, limit],
  );
  return rows;
}

export async function listEndingBatteries(
  db: Db,
  path: string,
  now: Date,
  limit: number,
): Promise<DeviceStats['batteries']> {
  const { rows } = await db.query<DeviceStats['batteries'][number]>(
    `select d.number, d.name, o.name as "organizationName", b.per_day as "perDay",
            greatest(0, b.empty_on - date_part('epoch', ${NOW}) / 86400) as "daysLeft",
            (select min(l.value) from channel c join channel_latest l on l.channel_id = c.id
              where c.device_id = d.id and c.indicator = 'battery' and c.retired_at is null) as battery
       from battery_outlook b join device d on d.id = b.device_id join organization o on o.id = d.organization_id
      where o.path like $1 || '%' and d.deleted_at is null and d.removed_at is null and ${needs('battery-ending', NOW)}
      order by b.empty_on, d.number limit $3`,
    [path, now, limit],
  );
  return rows;
}

export async function listWeakSignals(db: Db, path: string, limit: number): Promise<DeviceStats['signals']> {
  const { rows } = await db.query<DeviceStats['signals'][number]>(
    `select d.number, d.name, o.name as "organizationName", w.signal
       from (select c.device_id, min(l.value) as signal from channel c join channel_latest l on l.channel_id = c.id
              where c.indicator = 'signal' and c.retired_at is null and l.value <= ${SIGNAL_WEAK_DBM}
              group by c.device_id) w
       join device d on d.id = w.device_id join organization o on o.id = d.organization_id
      where o.path like $1 || '%' and d.deleted_at is null and d.removed_at is null
      order by w.signal, d.number limit $2`,
    [path, limit],
  );
  return rows;
}
