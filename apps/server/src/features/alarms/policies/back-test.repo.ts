import type { BACK_TEST_TARGETS, BackTestChannel } from '@isotherm/contracts/back-test';
import type { PolicyQuantity } from '@isotherm/domain/alarms/policy';
import type { Indicator } from '@isotherm/domain/readings/indicator';
import type { Db } from '../../../platform/db/pool.ts';
import { APPLIES, LIVE, OWN } from './compilation.repo.ts';

/** A history belongs to the organisation of the asset (decision 9). */
const VISIBLE = `from channel c
  join device d on d.id = c.device_id and d.deleted_at is null
  left join asset a on a.id = c.asset_id
  join organization o on o.id = coalesce(a.organization_id, d.organization_id)
 where c.retired_at is null and o.path like $1 || '%'`;
const COLUMNS = `c.id, c.name, c.indicator, c.asset_id as "assetId", coalesce(a.name, d.number) as "assetName"`;
const IN_ORDER = `lower(coalesce(a.name, d.number)), c.id`;

interface ListedRow extends BackTestChannel {
  total: number;
}

export interface BackTestChannels {
  channels: BackTestChannel[];
  total: number;
}

const listOf = (rows: ListedRow[]): BackTestChannels => ({
  channels: rows.map(({ total: _, ...channel }) => channel),
  total: rows[0]?.total ?? 0,
});

export interface BackTestTarget {
  kind: (typeof BACK_TEST_TARGETS)[number];
  id: number;
}

/** For each kind of target, the SQL condition on its channels; $4 is the id of the target. */
const OF_TARGET: Readonly<Record<BackTestTarget['kind'], string>> = {
  organization: `o.path like (select path from organization where id = $4::bigint) || '%'`,
  'asset-group': `c.asset_id in (
    select m.asset_id from asset_group top
      join asset_group g on g.path like top.path || '%'
      join asset_group_member m on m.group_id = g.id
     where top.id = $4::bigint)`,
};

/** Lists channels with these quantities that have readings: those of the target, or examples. */
export async function listMeasured(
  db: Db,
  scope: string,
  quantities: readonly PolicyQuantity[],
  target: BackTestTarget | null,
  limit: number,
): Promise<BackTestChannels> {
  const { rows } = await db.query<ListedRow>(
    `select ${COLUMNS}, count(*) over ()::int as total ${VISIBLE} and c.indicator = any($2)
        and exists (select from channel_latest n where n.channel_id = c.id)
        and ${target ? OF_TARGET[target.kind] : '$4::bigint is null'}
      order by ${IN_ORDER} limit $3`,
    [scope, quantities, limit, target?.id ?? null],
  );
  return listOf(rows);
}

/**
 * Lists channels with these quantities to which the policy is assigned, except those with a nearer policy in
 * force or with direct rules. Channels of a disabled policy are listed as well.
 */
export async function listReached(
  db: Db,
  scope: string,
  policyId: number,
  quantities: readonly PolicyQuantity[],
  limit: number,
): Promise<BackTestChannels> {
  const { rows } = await db.query<ListedRow>(
    `with live as materialized (${LIVE} where c.retired_at is null and c.indicator = any($2)), ${APPLIES}, ${OWN},
     nearer as (
       select a.id, r.quantity, min(a.distance) as distance
         from applies a join alarm_policy p on p.id = a.policy_id and p.enabled and p.deleted_at is null
         join alarm_policy_rule r on r.policy_id = p.id and r.until_version is null
        where a.policy_id <> $3
        group by 1, 2
     )
     select ${COLUMNS}, count(*) over ()::int as total ${VISIBLE}
        and c.id in (select x.id from applies x
                      where x.policy_id = $3
                        and not exists (select from own where own.id = x.id and own.quantity = x.indicator)
                        and not exists (select from nearer n where n.id = x.id and n.quantity = x.indicator
                                           and n.distance < x.distance))
      order by ${IN_ORDER} limit $4`,
    [scope, quantities, policyId, limit],
  );
  return listOf(rows);
}

/**
 * A channel of the same device. The signal of a condition can refer to it by its quantity and the number of
 * its sensor.
 */
export interface SiblingChannel {
  id: number;
  indicator: Indicator;
  sensor: number;
}

export interface TestedRow {
  id: number;
  indicator: Indicator;
  intervalMs: number;
  /** Time zone of its organisation. */
  timeZone: string;
  /** All channels of the device in order of id, including this one. */
  siblings: SiblingChannel[];
}

/**
 * Returns those of these channels that are in the caller's scope, with the data that their evaluation needs.
 */
export async function findTested(db: Db, scope: string, channelIds: readonly number[]): Promise<TestedRow[]> {
  const { rows } = await db.query<TestedRow>(
    `select c.id, c.indicator, d.acquisition_interval_ms as "intervalMs", o.time_zone as "timeZone",
            (select json_agg(json_build_object('id', oc.id, 'indicator', oc.indicator, 'sensor', os.index) order by oc.id)
               from channel oc join sensor os on os.id = oc.sensor_id
              where oc.device_id = c.device_id and oc.retired_at is null) as siblings
       ${VISIBLE} and c.id = any($2::int4[])
      order by c.id`,
    [scope, channelIds],
  );
  return rows;
}
