import type { DeviceStats } from '@isotherm/contracts/device-stats';
import {
  ATTENTIONS,
  BATTERY_STEPS,
  OFFLINE_STEPS_H,
  SIGNAL_STEPS,
  SIGNAL_WEAK_DBM,
} from '@isotherm/domain/devices/attention';
import { CONNECTION_STATES, DEVICE_TYPES, TERM_STATES } from '@isotherm/domain/devices/device-state';
import type { Db } from '../../../platform/db/pool.ts';
import { CONNECTION, needs, newestOf, SHOWN, TERM } from '../registry/device-filter.ts';

const NOW = '$2::timestamptz';
/** SQL for devices in use of the organisation with path $1 and below. */
const DEVICES = `from device d join organization o on o.id = d.organization_id
      where o.path like $1 || '%' and d.deleted_at is null and d.removed_at is null`;
const counts = (what: string, values: readonly string[]) =>
  `json_build_object(${values.map((value) => `'${value}', count(*) filter (where ${what} = '${value}')`).join(', ')})`;

/**
 * Returns SQL that counts in groups with these upper bounds; the last group has none. A bound belongs to the
 * group below it, or to the group above it if `open`.
 */
const groupsOf = (value: string, bounds: readonly number[], where: string, open = false) => {
  const below = (bound: number) => `${value} ${open ? '<' : '<='} ${bound}`;
  const parts = [...bounds, null].map((upper, at) => {
    const lower = bounds[at - 1];
    const conditions = [where, ...(upper === null ? [] : [below(upper)])];
    if (lower !== undefined) conditions.push(`not ${below(lower)}`);
    return `count(*) filter (where ${conditions.join(' and ')})`;
  });
  return `json_build_array(${parts.join(', ')})`;
};

export type Totals = Pick<
  DeviceStats,
  'total' | 'connections' | 'terms' | 'types' | 'bound' | 'attention'
> & {
  offlineGroups: number[];
};

/** Counts totals. The parameters are those of `momentsOf`, with the path as the scope. */
export async function countTotals(db: Db, moments: readonly unknown[]): Promise<Totals> {
  const { rows } = await db.query<Totals>(
    `select count(*)::int as total, ${counts('connection', CONNECTION_STATES)} as connections,
            ${counts('term', TERM_STATES)} as terms, ${counts('type', DEVICE_TYPES)} as types,
            count(*) filter (where bound)::int as bound,
            json_build_object(${ATTENTIONS.map((each) => `'${each}', count(*) filter (where "${each}")`).join(', ')}) as attention,
            ${groupsOf('hours', OFFLINE_STEPS_H, "connection = 'offline'", true)} as "offlineGroups"
       from (select ${CONNECTION} as connection, date_part('epoch', ${NOW} - p.last_seen_at) / 3600 as hours, ${TERM} as term, d.type, d.asset_id is not null as bound,
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

/**
 * Counts devices grouped by the organisations directly below the path, '' for its own; completeness over a
 * number of days.
 */
export async function countOrganizations(
  db: Db,
  moments: readonly unknown[],
  days: number,
  limit: number,
): Promise<(Omit<DeviceStats['organizations'][number], 'days'> & { below: string; all: number })[]> {
  const { rows } = await db.query<
    Omit<DeviceStats['organizations'][number], 'days'> & { below: string; all: number }
  >(
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
     select o.id, o.name, below, below = '' as "isOwn", total, connections, received, due, s.all
       from summed s join organization o on o.path = $1 || case when below = '' then '' else below || '/' end
      order by below = '', total desc, o.name`,
    [...moments, days, limit],
  );
  return rows;
}

/** Returns the newest day that was counted, such as `2026-05-31`; null before the first. */
export async function findLastCounted(db: Db): Promise<string | null> {
  const { rows } = await db.query<{ day: string | null }>('select max(day)::text as day from counted_day');
  return rows[0]?.day ?? null;
}

type Day = DeviceStats['completeness']['days'][number];
type DaysOf = DeviceStats['organizations'][number]['days'];

/**
 * Lists the days from `since` on, oldest first: of everything below the path, and of each organisation
 * directly below it, keyed by its path segment; '' is the path itself.
 */
export async function listDays(
  db: Db,
  path: string,
  since: string,
  below: readonly string[],
): Promise<{ days: Day[]; below: Map<string, DaysOf> }> {
  const { rows } = await db.query<{ days: Day[] | null; below: Record<string, DaysOf> | null }>(
    `with placed as materialized (
       select o.id, split_part(substr(o.path, length($1) + 1), '/', 1) as below
         from organization o where o.path like $1 || '%'
     ), counted as materialized (
       select o.below, t.day, sum(t.received)::float8 as received,
              sum(t.due)::float8 as due, sum(t.devices) as devices, sum(t.silent) as silent,
              sum(t.incomplete) as incomplete, sum(t.battery_low) as low, sum(t.signal_weak) as weak
         from organization_day t join placed o on o.id = t.organization_id
        where t.day >= $2 group by 1, 2
     ), whole as (
       select json_agg(json_build_object('day', day, 'received', received, 'due', due, 'devices', devices,
                'silent', silent, 'incomplete', incomplete, 'batteryLow', low, 'signalWeak', weak) order by day) as days
         from (select day, sum(received) as received, sum(due) as due, sum(devices) as devices, sum(silent) as silent,
                      sum(incomplete) as incomplete, sum(low) as low, sum(weak) as weak
                 from counted group by day) d
     ), parts as (
       select json_object_agg(below, days) as below
         from (select below, json_agg(json_build_object('day', day, 'received', received, 'due', due) order by day) as days
                 from counted where below = any($3) group by below) b
     )
     select days, below from whole, parts`,
    [path, since, below],
  );
  return { days: rows[0]?.days ?? [], below: new Map(Object.entries(rows[0]?.below ?? {})) };
}

/**
 * Counts devices by their newest battery level and signal strength. For a device with several such channels,
 * the lowest value counts.
 */
export async function countLevels(db: Db, path: string): Promise<DeviceStats['levels']> {
  const { rows } = await db.query<DeviceStats['levels']>(
    `select ${groupsOf('value', BATTERY_STEPS, "indicator = 'battery'")} as battery,
            ${groupsOf('value', SIGNAL_STEPS, "indicator = 'signal'")} as signal
       from (select c.indicator, min(l.value) as value
               from channel c join channel_latest l on l.channel_id = c.id ${SHOWN}
              where c.indicator in ('battery', 'signal') and c.retired_at is null
                and c.device_id in (select d.id ${DEVICES})
              group by c.device_id, c.indicator) f`,
    [path],
  );
  return rows[0] as DeviceStats['levels'];
}

/** Lists offline devices, longest offline first. */
export async function listOffline(
  db: Db,
  moments: readonly unknown[],
  limit: number,
): Promise<DeviceStats['offline']['longest']> {
  const { rows } = await db.query<{
    number: string;
    name: string;
    organizationName: string;
    lastSeenAt: Date;
  }>(
    `select d.number, d.name, o.name as "organizationName", p.last_seen_at as "lastSeenAt"
       from device_presence p join device d on d.id = p.device_id join organization o on o.id = d.organization_id
      where o.path like $1 || '%' and d.deleted_at is null and d.removed_at is null
        and ${CONNECTION} = 'offline' and $3::timestamptz < $4::timestamptz
      order by p.last_seen_at, d.id limit $5`,
    [...moments, limit],
  );
  return rows.map((row) => ({ ...row, lastSeenAt: row.lastSeenAt.toISOString() }));
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
            ${newestOf('battery')} as battery
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
       from (select c.device_id, min(l.value) as signal from channel c join channel_latest l on l.channel_id = c.id ${SHOWN}
              where c.indicator = 'signal' and c.retired_at is null and l.value <= ${SIGNAL_WEAK_DBM}
              group by c.device_id) w
       join device d on d.id = w.device_id join organization o on o.id = d.organization_id
      where o.path like $1 || '%' and d.deleted_at is null and d.removed_at is null
      order by w.signal, d.number limit $2`,
    [path, limit],
  );
  return rows;
}
