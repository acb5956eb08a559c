import { DEVICE_VIEWS, type listDevices } from '@isotherm/contracts/device-registry';
import {
  ATTENTIONS,
  type Attention,
  BATTERY_ENDING_DAYS,
  BATTERY_LOW_PERCENT,
  COMPLETE_SHARE,
  SIGNAL_WEAK_DBM,
} from '@isotherm/domain/devices/attention';
import type { TermBounds } from '@isotherm/domain/devices/device-state';
import type { z } from 'zod';
import { containing } from '../../../platform/db/like.ts';

export type DeviceQuery = Omit<z.output<(typeof listDevices)['query']>, 'page' | 'pageSize'>;

/** SQL for devices with their last seen time. */
export const FROM = `from device d join organization o on o.id = d.organization_id
       left join device_presence p on p.device_id = d.id`;

/**
 * SQL for the newest value of a device's channels; the lowest if there are several. Readings after the expiry of the
 * device are hidden (decision 33), here and below.
 */
export const newestOf = (indicator: 'battery' | 'power' | 'signal') =>
  `(select min(l.value) from channel c join channel_latest l on l.channel_id = c.id
     where c.device_id = d.id and c.indicator = '${indicator}' and c.retired_at is null
       and l.measured_at < coalesce(d.expires_at, 'infinity'))`;

// SQL for the connection state. $1 is the scope, $2 the current time, $3 and $4 the limits of a
// subscription: expired until $3, expiring before $4. It must agree with `deviceState` (domain);
// device-filter.db.test.ts compares them.
export const CONNECTION = `case when p.last_seen_at is null then 'never-seen'
       when p.last_seen_at < $2::timestamptz - make_interval(mins => d.offline_after_minutes) then 'offline'
       else 'online' end`;
export const TERM = `case when d.expires_at is null then 'unlimited' when d.expires_at <= $3::timestamptz then 'lapsed'
       when d.expires_at <= $2::timestamptz then 'expired' when d.expires_at < $4::timestamptz then 'expiring'
       else 'valid' end`;
/** SQL join that leaves out newest readings which are hidden. */
export const SHOWN = `join device x on x.id = c.device_id and l.measured_at < coalesce(x.expires_at, 'infinity')`;
// All devices are counted in one query, since a query per device would take seconds.
const fedBy = (power: 0 | 1) => `d.id in (
         select c.device_id from channel c join channel_latest l on l.channel_id = c.id ${SHOWN}
          where c.indicator = 'power' and c.retired_at is null group by c.device_id having min(l.value) = ${power})`;
const SUPPLY = `case $12 when 'charging' then ${fedBy(1)} when 'battery' then ${fedBy(0)}
       else not (${fedBy(1)}) and not (${fedBy(0)}) end`;
const newestAtMost = (indicator: 'battery' | 'signal', most: number) => `d.id in (
         select c.device_id from channel c join channel_latest l on l.channel_id = c.id ${SHOWN}
          where c.indicator = '${indicator}' and c.retired_at is null and l.value <= ${most})`;
/**
 * SQL condition for devices `d` that need attention at `now` (an SQL expression); a device on external power
 * has no battery to run down.
 */
export const needs = (attention: Attention, now: string): string => {
  switch (attention) {
    case 'battery-low':
      return newestAtMost('battery', BATTERY_LOW_PERCENT);
    case 'battery-ending':
      return `(d.id in (select b.device_id from battery_outlook b
          where b.empty_on <= date_part('epoch', ${now}) / 86400 + ${BATTERY_ENDING_DAYS}) and not ${fedBy(1)})`;
    case 'signal-weak':
      return newestAtMost('signal', SIGNAL_WEAK_DBM);
    case 'incomplete':
      return `d.id in (select t.device_id from device_day t
          where t.day = (select max(day) from counted_day) and t.received < ${COMPLETE_SHARE} * t.due)`;
  }
};
const ATTENTION = `case $15 ${ATTENTIONS.map((each) => `when '${each}' then ${needs(each, '$2::timestamptz')}`).join('\n       ')} end`;
const IS_TO_RENEW = `d.expires_at < $4::timestamptz`;

/**
 * `is true` prevents PostgreSQL from joining the organisations and sorting, so that a page is read in index
 * order.
 */
const inScope = (organization = '') => `(d.organization_id in (
         select s.id from organization s where s.path like $1 || '%'${organization})) is true`;

export const WHERE = `where ${inScope(`
           and ($6::bigint is null or s.path like (select path from organization where id = $6) || '%')`)}
     and d.removed_at is null and (d.deleted_at is not null) = $5::boolean
     and ($7 = '' or d.search_text like $7
          or ($8::bigint[] is not null and d.gateway_id = any($8)))
     and ($9::text is null or ${CONNECTION} = $9)
     and ($10::text is null or ${TERM} = $10 or ($10 = 'to-renew' and ${IS_TO_RENEW}))
     and ($11::text is null or (d.asset_id is not null) = ($11 = 'bound'))
     and ($12::text is null or ${SUPPLY})
     and ($13::text is null or d.type = $13)
     and ($14::text is null or d.model = $14)
     and ($15::text is null or ${ATTENTION})`;

/** Number of devices in each view; uses the first four parameters. */
export const COUNTS = `select count(*) filter (where d.deleted_at is null) as all,
       count(*) filter (where d.deleted_at is null and ${CONNECTION} = 'online') as online,
       count(*) filter (where d.deleted_at is null and ${CONNECTION} = 'offline') as offline,
       count(*) filter (where d.deleted_at is null and ${IS_TO_RENEW}) as "to-renew",
       count(*) filter (where d.deleted_at is null and d.asset_id is null) as unbound,
       count(*) filter (where d.deleted_at is not null) as deleted
  from device d left join device_presence p on p.device_id = d.id
 where ${inScope()} and d.removed_at is null and $3::timestamptz is not null`;

/**
 * Returns the view that matches the query exactly, so that no further count is needed; null if there is
 * none.
 */
export function viewOf(query: Omit<DeviceQuery, 'sort' | 'order'>): (typeof DEVICE_VIEWS)[number] | null {
  const { search, organizationId, connection, term, bound, supply, type, model, attention, deleted } = query;
  if (search.trim() !== '' || organizationId || supply || type || model || attention) return null;
  const asked = [
    ...(connection ? [connection] : []),
    ...(term ? [term] : []),
    ...(bound ? [bound] : []),
    ...(deleted ? ['deleted'] : []),
  ];
  if (asked.length > 1) return null;
  return DEVICE_VIEWS.find((view) => view === (asked[0] ?? 'all')) ?? null;
}

const SORT: Readonly<Record<DeviceQuery['sort'], string>> = {
  number: 'd.number',
  name: 'd.name',
  model: 'd.model',
  organization: 'o.name',
  lastSeenAt: 'p.last_seen_at',
  expiresOn: 'd.expires_at',
  createdAt: 'd.created_at',
};

export function orderOf({ sort, order }: Pick<DeviceQuery, 'sort' | 'order'>): string {
  const nulls = sort === 'lastSeenAt' || sort === 'expiresOn' ? 'nulls last' : '';
  return `order by ${SORT[sort]} ${order} ${nulls}, d.id ${order}`;
}

/** Returns the first four parameters of every query. */
export function momentsOf(
  scope: string,
  { expiredUntil, lapsedUntil, expiringBefore }: TermBounds,
): unknown[] {
  return [scope, new Date(expiredUntil), new Date(lapsedUntil), new Date(expiringBefore)];
}

export function valuesOf(
  scope: string,
  query: Omit<DeviceQuery, 'sort' | 'order'>,
  gatewayIds: readonly number[],
  bounds: TermBounds,
): unknown[] {
  const search = query.search.trim().toLowerCase();
  return [
    ...momentsOf(scope, bounds),
    query.deleted === 'true',
    query.organizationId ?? null,
    containing(search),
    // Without a gateway, the search is a single condition that its index supports.
    gatewayIds.length === 0 ? null : gatewayIds,
    query.connection ?? null,
    query.term ?? null,
    query.bound ?? null,
    query.supply ?? null,
    query.type ?? null,
    query.model ?? null,
    query.attention ?? null,
  ];
}
