import { NO_REASON } from '@isotherm/contracts/alarm-history';
import type { AlarmReason } from '@isotherm/domain/alarms/acknowledgement';
import type { AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import type { AlarmKind } from '@isotherm/domain/alarms/catalogue';
import type { AssetKind } from '@isotherm/domain/assets/asset-kind';
import type { Db, Tx } from '../../../platform/db/pool.ts';
import { TYPED_NAME } from '../alarm-view.repo.ts';

/** Alarms raised from `from` until `to` (exclusive) in the organisations of a scope. */
export interface HistoryFilter {
  scope: string;
  /** Ids of the organisations whose path begins with `scope`; null stands for all. */
  organizations: readonly number[] | null;
  from: Date;
  to: Date;
  level: number | null;
  kind: AlarmKind | null;
  reason: AlarmReason | typeof NO_REASON | null;
  acknowledged: boolean | null;
  assetId: number | null;
  weekday: number | null;
  hour: number | null;
  /** Assets and channels that match the search; null without a search. */
  found: { assetIds: readonly number[]; channelIds: readonly number[] } | null;
}

const WITH_ASSETS = 'from alarm a left join asset s on s.id = a.asset_id';
/** Assets are joined only for local times: without the join, PostgreSQL reads the index only and no rows of alarms. */
const fromOf = ({ weekday, hour }: HistoryFilter) =>
  weekday === null && hour === null ? 'from alarm a' : WITH_ASSETS;
const LEVEL = 'coalesce(a.peak_level, a.level)';
const LOCAL = `(a.raised_at at time zone coalesce(s.time_zone, 'UTC'))`;

/** Hour of the week from Monday 00:00. The epoch is a Thursday. */
const hourOfWeek = (moment: string) => `((floor(date_part('epoch', ${moment}) / 3600)::int + 72) % 168)`;
/** Hour of the week in the time zone of the asset. */
const HOUR_OF_WEEK = hourOfWeek(LOCAL);
const UTC_HOUR_OF_WEEK = hourOfWeek('a.raised_at');

const HOUR_MS = 3_600_000;
const WEEK_HOURS = 168;
/**
 * Length of the window in UTC that contains an hour of the week in every time zone: local times differ from UTC by -12 to
 * +14 hours.
 */
const WINDOW_HOURS = 27;
/** First UTC hour of the window, as an hour of the week. */
const windowHour = (hour: number) => (hour + WEEK_HOURS - 14) % WEEK_HOURS;

/** Beginnings of the windows of the filter's hour of the week, one for each week of the period. */
function windowsOf({ from, to, weekday, hour }: HistoryFilter): Date[] {
  const wanted = windowHour(((weekday ?? 1) - 1) * 24 + (hour ?? 0));
  const first = Math.floor(from.getTime() / HOUR_MS) - WINDOW_HOURS;
  // The epoch is a Thursday.
  const begin = first + ((wanted - ((first + 72) % WEEK_HOURS) + WEEK_HOURS) % WEEK_HOURS);
  const windows: Date[] = [];
  for (let at = begin; at * HOUR_MS < to.getTime(); at += WEEK_HOURS) windows.push(new Date(at * HOUR_MS));
  return windows;
}

/** Conditions of the filter, each only if it is set, so that PostgreSQL can plan for those that are. */
function where(
  filter: HistoryFilter,
  organizations: 'ids' | 'path' = 'ids',
): { text: string; values: unknown[] } {
  const values: unknown[] = [];
  const parts: string[] = [];
  const add = (condition: (placeholder: string) => string, value: unknown) => {
    values.push(value);
    parts.push(condition(`$${values.length}`));
  };
  add((from) => `a.raised_at >= ${from}`, filter.from);
  add((to) => `a.raised_at < ${to}`, filter.to);
  // As values, so that PostgreSQL knows how many alarms they have: it expects one organisation of a path.
  if (organizations === 'path') add((scope) => `o.path like ${scope} || '%'`, filter.scope);
  else if (filter.organizations !== null)
    add((ids) => `a.organization_id = any(${ids}::bigint[])`, filter.organizations);
  if (filter.level !== null) add((level) => `${LEVEL} = ${level}`, filter.level);
  if (filter.kind !== null) add((kind) => `a.kind = ${kind}`, filter.kind);
  if (filter.reason === NO_REASON) parts.push('a.acknowledged_reason is null');
  else if (filter.reason !== null) add((reason) => `a.acknowledged_reason = ${reason}`, filter.reason);
  if (filter.acknowledged !== null) add((value) => `a.is_acknowledged = ${value}`, filter.acknowledged);
  if (filter.assetId !== null) add((asset) => `a.asset_id = ${asset}`, filter.assetId);
  if (filter.weekday !== null && filter.hour !== null) {
    const hour = (filter.weekday - 1) * 24 + filter.hour;
    // Excludes most alarms without a conversion to local time.
    add((from) => `(${UTC_HOUR_OF_WEEK} + 168 - ${from}::int) % 168 < ${WINDOW_HOURS}`, windowHour(hour));
    add((wanted) => `${HOUR_OF_WEEK} = ${wanted}`, hour);
  } else {
    if (filter.weekday !== null) add((day) => `date_part('isodow', ${LOCAL}) = ${day}`, filter.weekday);
    if (filter.hour !== null) add((hour) => `date_part('hour', ${LOCAL}) = ${hour}`, filter.hour);
  }
  if (filter.found !== null) {
    values.push(filter.found.assetIds, filter.found.channelIds);
    parts.push(
      `(a.asset_id = any($${values.length - 1}::bigint[]) or a.channel_id = any($${values.length}::int4[]))`,
    );
  }
  return { text: `where ${parts.join(' and ')}`, values };
}

const SORTED = {
  raised: (order: string) => `a.raised_at ${order}, a.id ${order}`,
  level: (order: string) => `${LEVEL} ${order}, a.raised_at ${order}, a.id ${order}`,
} as const;

/** Returns the ids of one page in list order. */
export async function findHistoryIds(
  db: Db,
  filter: HistoryFilter,
  sort: keyof typeof SORTED,
  order: 'asc' | 'desc',
  limit: number,
  offset: number,
): Promise<number[]> {
  const { text, values } = where(filter);
  const { rows } = await db.query<{ id: number }>(
    `select a.id ${fromOf(filter)} ${text} order by ${SORTED[sort](order)}
      limit $${values.length + 1} offset $${values.length + 2}`,
    [...values, limit, offset],
  );
  return rows.map(({ id }) => id);
}

/** Counts the alarms of the filter, up to `most`. */
export async function countHistory(db: Db, filter: HistoryFilter, most: number): Promise<number> {
  if (filter.weekday !== null && filter.hour !== null) return countHourOfWeek(db, filter, most);
  const { text, values } = where(filter);
  const { rows } = await db.query<{ count: number }>(
    `select count(*) as count from (select 1 ${fromOf(filter)} ${text} limit $${values.length + 1}) as counted`,
    [...values, most],
  );
  return rows[0]?.count ?? 0;
}

/**
 * Counts the alarms of one hour of the week. Only the windows around that hour are read, and only quarters of an hour are converted
 * to local time, by which all time zones differ from UTC.
 */
async function countHourOfWeek(db: Db, filter: HistoryFilter, most: number): Promise<number> {
  const { text, values } = where({ ...filter, weekday: null, hour: null });
  const [windowsAt, hourAt, mostAt] = [1, 2, 3].map((n) => `$${values.length + n}`);
  const hour = ((filter.weekday ?? 1) - 1) * 24 + (filter.hour ?? 0);
  // Without `offset 0`, PostgreSQL would read the whole period and compare each alarm with each window.
  const { rows } = await db.query<{ count: number }>(
    `with slots as materialized (
       select count(*) as count, s.time_zone, slot
         from unnest(${windowsAt}::timestamptz[]) as part(begins)
        cross join lateral (
          select a.asset_id, date_bin('15 minutes', a.raised_at, 'epoch') as slot
            from alarm a ${text} and a.raised_at >= begins and a.raised_at < begins + interval '${WINDOW_HOURS} hours' offset 0
        ) a
         left join asset s on s.id = a.asset_id
        group by s.time_zone, slot
     )
     select least(coalesce(sum(count), 0), ${mostAt}::int8)::int8 as count from slots
      where ${hourOfWeek(`(slot at time zone coalesce(time_zone, 'UTC'))`)} = ${hourAt}`,
    [...values, windowsOf(filter), hour, most],
  );
  return rows[0]?.count ?? 0;
}

/** Returns the assets and channels in scope whose names, codes, places or device numbers contain the search. */
export async function findSearched(
  db: Db,
  scope: string,
  search: string,
  systemNames: readonly string[],
): Promise<{ assetIds: number[]; channelIds: number[] }> {
  const assets = await db.query<{ id: number }>(
    `select s.id from asset s join organization o on o.id = s.organization_id
      where o.path like $1 || '%'
        and strpos(lower(concat_ws(' ', s.name, s.code, s.place)), lower($2)) > 0`,
    [scope, search],
  );
  const channels = await db.query<{ id: number }>(
    `select c.id from channel c join device d on d.id = c.device_id join organization o on o.id = d.organization_id
      where o.path like $1 || '%'
        and (strpos(lower(d.number), lower($2)) > 0 or strpos(lower(${TYPED_NAME}), lower($2)) > 0
             or c.name = any($3::text[]))`,
    [scope, search, systemNames],
  );
  return { assetIds: assets.rows.map(({ id }) => id), channelIds: channels.rows.map(({ id }) => id) };
}

/** Numbers of alarms by level, 1 to 5. */
export type ByLevel = [number, number, number, number, number];

interface AnalysisRow {
  part: 'hour' | 'step' | 'reason' | 'asset';
  level: AlarmLevel;
  hour: number | null;
  step: number | null;
  reason: AlarmReason | null;
  delay: number | null;
  asset_id: number | null;
  count: number;
}

/** Number of delay classes per natural logarithm: neighbouring classes differ by 2 %. */
export const DELAY_CLASSES = 50;

const HOUR_S = 3_600;
const QUARTER_S = 900;

/**
 * Length in seconds of the slots in which alarms of a period are counted, so that each slot is in one hour of the local time of
 * each asset: an hour, or a quarter of an hour if a time zone of the scope differs from UTC by other than whole hours. Zones are
 * compared each 30 days, since some differ so in one half of the year only.
 */
export async function slotSeconds(db: Db, { scope, from, to }: HistoryFilter): Promise<number> {
  const { rows } = await db.query<{ is_uneven: boolean | null }>(
    `select bool_or(date_part('minute', m.at at time zone z.time_zone) <> 0) as is_uneven
       from (select distinct s.time_zone from asset s join organization o on o.id = s.organization_id
              where o.path like $1 || '%' and s.time_zone is not null) z
      cross join (select generate_series(date_trunc('hour', $2::timestamptz), $3::timestamptz, interval '30 days') as at
                   union all select date_trunc('hour', $3::timestamptz)) m`,
    [scope, from, to],
  );
  return rows[0]?.is_uneven ? QUARTER_S : HOUR_S;
}

/**
 * Counts the alarms of the filter in one pass: by hour of the week, by part of the period that begins at `begin`, by reason and
 * time until the acknowledgement, and by asset, each also by level. A time of s seconds is in class
 * round(ln(s + 1) × DELAY_CLASSES); the class is null for alarms that were not acknowledged.
 *
 * Alarms are counted by slot first (`slotSeconds`), and only slots are converted to local time, since there are many more alarms
 * than slots. Parts of the period therefore begin at the slot of `begin`, and the last one has what is left.
 */
export async function countByAspects(
  tx: Tx,
  filter: HistoryFilter,
  { begin, stepDays, steps, slotS }: { begin: Date; stepDays: number; steps: number; slotS: number },
): Promise<readonly AnalysisRow[]> {
  // With the join, PostgreSQL reads and groups alarms in several processes.
  const { text, values } = where(filter, 'path');
  const [slotAt, beginAt, stepAt, lastAt] = [1, 2, 3, 4].map((n) => `$${values.length + n}`);
  const slot = (moment: string) => `date_bin(make_interval(secs => ${slotAt}), ${moment}, 'epoch')`;
  // PostgreSQL expects as many slots as alarms, and would sort all of them for each aspect.
  await tx.query('set local enable_sort = off');
  const { rows } = await tx.query<AnalysisRow>(
    `with counted as materialized (
       select grouping(slot) = 0 as is_slot, grouping(asset_id) = 0 as is_asset, level, slot, time_zone, reason, delay, asset_id,
              count(*) as count
         from (select ${LEVEL} as level, a.asset_id, a.acknowledged_reason as reason, s.time_zone, ${slot('a.raised_at')} as slot,
                      case when a.acknowledged_at is not null
                           then round(ln(greatest(date_part('epoch', a.acknowledged_at - a.recorded_at), 0) + 1)
                                * ${DELAY_CLASSES})::int end as delay
                 ${WITH_ASSETS} join organization o on o.id = a.organization_id ${text}) as alarms
        group by grouping sets ((slot, time_zone, level), (reason, delay, level), (asset_id, level))
     ), slots as (
       select level, count, ${hourOfWeek(`(slot at time zone coalesce(time_zone, 'UTC'))`)} as hour,
              least(date_part('epoch', slot - ${slot(`${beginAt}::timestamptz`)})::int / ${stepAt}::int, ${lastAt}::int) as step
         from counted where is_slot
     )
     select case when is_asset then 'asset' else 'reason' end as part, level, null::int as hour, null::int as step, reason, delay,
            asset_id, count
       from counted where not is_slot
      union all
     select case when grouping(hour) = 0 then 'hour' else 'step' end, level, hour, step, null, null, null, sum(count)::int8
       from slots group by grouping sets ((hour), (step, level))`,
    [...values, slotS, begin, stepDays * 86_400, steps - 1],
  );
  return rows;
}

/** Counts the alarms of a period without a limit. */
export async function countPeriod(db: Db, filter: HistoryFilter): Promise<number> {
  const { text, values } = where(filter);
  const { rows } = await db.query<{ count: number }>(
    `select count(*) as count ${fromOf(filter)} ${text}`,
    values,
  );
  return rows[0]?.count ?? 0;
}

export interface NamedAsset {
  id: number;
  name: string;
  kind: AssetKind;
  place: string;
}

export async function findAssetNames(db: Db, ids: readonly number[]): Promise<NamedAsset[]> {
  const { rows } = await db.query<NamedAsset>(
    'select id, name, kind, place from asset where id = any($1::bigint[])',
    [ids],
  );
  return rows;
}
