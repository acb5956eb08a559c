import {
  type AlarmEndReason,
  KINDS_BY_RULE as KINDS,
  SILENCE_KINDS,
} from '@isotherm/domain/alarms/catalogue';
import type { Db, Tx } from '../../../platform/db/pool.ts';
import { HOLDS, placesAt, readStageTime } from './places.repo.ts';

/** SQL for channels with the device, the asset and the organisation to which a policy can be assigned. */
export const LIVE = `
  select c.id, c.device_id, c.asset_id, c.indicator, d.organization_id, o.path as organization_path, a.kind as asset_kind
    from channel c join device d on d.id = c.device_id and d.deleted_at is null
    join organization o on o.id = d.organization_id
    left join asset a on a.id = c.asset_id`;

/** Depth of a group or organisation in its tree. */
const DEPTH = `(length(top.path) - length(replace(top.path, '/', '')))`;

/**
 * SQL for the assignments that reach each channel of `live` (`reaches`) and the policies that apply to it by
 * them (`applies`), with the distance of the assignment: the smaller, the nearer. The last digit of the distance is 0 if the assignment is limited to one kind of
 * assets. A policy no longer applies to a target that has moved out of the policy's organisation and those
 * below it, because nobody may set alarms for other organisations.
 *
 * `reaches` and `applies` carry what is known of a channel, so that no query has to join them with `live`:
 * PostgreSQL has no statistics of a fleet that was just registered, expects one channel, and would compare
 * each channel with each other.
 */
export const APPLIES = `assigned as materialized (
       select s.id as assignment_id, s.policy_id, s.target_kind, s.target_id, s.asset_kind as kind_of_assets,
              case when s.asset_kind is null then 1 else 0 end as any_kind, o.path as owner_path
         from alarm_assignment s join alarm_policy p on p.id = s.policy_id
         join organization o on o.id = p.organization_id
        where s.valid_until is null
     ), targeted as (
       select l.*, s.*, 10 + any_kind as distance
         from live l join assigned s on s.target_kind = 'channel' and s.target_id = l.id
       union all
       select l.*, s.*, 20 + any_kind
         from live l join assigned s on s.target_kind = 'device' and s.target_id = l.device_id
       union all
       select l.*, s.*, 30 + any_kind
         from live l join assigned s on s.target_kind = 'asset' and s.target_id = l.asset_id
       union all
       select l.*, s.*, 20000 - 10 * ${DEPTH} + any_kind
         from assigned s join asset_group top on top.id = s.target_id and s.target_kind = 'asset-group'
         join asset_group g on g.path like top.path || '%'
         join asset_group_member m on m.group_id = g.id
         join live l on l.asset_id = m.asset_id
       union all
       select l.*, s.*, 40000 - 10 * ${DEPTH} + any_kind
         from assigned s join organization top on top.id = s.target_id and s.target_kind = 'organization'
         join live l on l.organization_path like top.path || '%'
     ), reaches as (
       select * from targeted
        where (kind_of_assets is null or kind_of_assets = asset_kind) and organization_path like owner_path || '%'
     ), applies as materialized (
       select id, device_id, asset_id, indicator, policy_id, min(distance) as distance
         from reaches group by 1, 2, 3, 4, 5
     )`;

/**
 * SQL for the quantities of each channel of `live` that have direct rules. Direct rules take precedence over
 * any assignment.
 */
export const OWN = `own as materialized (
       select distinct l.id, l.device_id, case when r.kind = any('{${SILENCE_KINDS.join()}}') then 'contact' else l.indicator end as quantity
         from alarm_rule r join live l on l.id = r.channel_id
        where r.policy_rule_id is null and r.enabled
     )`;

/**
 * Direct rules in force for the channels of an asset, but only for quantities for which a policy has rules.
 * For other quantities nothing would raise an alarm without the direct rules.
 */
export async function listOwnRules(
  db: Db,
  assetId: number,
): Promise<{ ruleId: number; channelId: number; deviceId: number }[]> {
  const { rows } = await db.query<{ ruleId: number; channelId: number; deviceId: number }>(
    `with live as materialized (${LIVE} where c.asset_id = $1 and c.retired_at is null), ${APPLIES}, replaced as (
       select a.id, a.device_id, pr.quantity
         from applies a join alarm_policy p on p.id = a.policy_id and p.enabled and p.deleted_at is null
         join alarm_policy_rule pr on pr.policy_id = p.id and pr.until_version is null
     )
     select r.id::float8 as "ruleId", r.channel_id as "channelId", l.device_id::float8 as "deviceId"
       from alarm_rule r join live l on l.id = r.channel_id
      where r.policy_rule_id is null and r.enabled
        and case when r.kind = any($2)
                 then exists (select from replaced p where p.device_id = l.device_id and p.quantity = 'contact')
                 else exists (select from replaced p where p.id = l.id and p.quantity = l.indicator) end`,
    [assetId, SILENCE_KINDS],
  );
  return rows;
}

/** Ends direct rules and requests a compilation of the policies of the asset, which now apply. */
export async function endOwnRules(
  tx: Tx,
  assetId: number,
  ruleIds: readonly number[],
  at: Date,
): Promise<void> {
  await tx.query(
    `update alarm_rule set enabled = false, valid_until = greatest($2::timestamptz, valid_from), end_reason = 'rule-deleted'
      where id = any($1::bigint[])`,
    [ruleIds, at],
  );
  await tx.query(`insert into alarm_compilation (target_kind, target_id) values ('asset', $1)`, [assetId]);
}

/** Ids of the pending requests for a compilation, oldest first. */
export async function readRequests(db: Db): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>('select id from alarm_compilation order by id limit 10000');
  return rows.map(({ id }) => id);
}

/** The newest requests at some time: the highest ids of comparisons and replacements, 0 without one. */
export interface LastRequests {
  comparison: number;
  replacement: number;
}

export async function readLastRequests(db: Db): Promise<LastRequests> {
  const { rows } = await db.query<LastRequests>(
    `select (select coalesce(max(id), 0) from alarm_compilation)::float8 as comparison,
            (select coalesce(max(id), 0) from alarm_replacement)::float8 as replacement`,
  );
  return rows[0] ?? { comparison: 0, replacement: 0 };
}

/** True if requests until these are pending. */
export async function hasRequests(db: Db, last: LastRequests): Promise<boolean> {
  const { rows } = await db.query<{ pending: boolean }>(
    `select exists (select from alarm_compilation where id <= $1)
         or exists (select from alarm_replacement where id <= $2) as pending`,
    [last.comparison, last.replacement],
  );
  return rows[0]?.pending === true;
}

/** True if policies apply anywhere, or have rules in force. */
export async function hasPolicies(db: Db): Promise<boolean> {
  const { rows } = await db.query<{ found: boolean }>(
    `select exists (select from alarm_assignment where valid_until is null)
         or exists (select from alarm_rule where policy_rule_id is not null and enabled) as found`,
  );
  return rows[0]?.found === true;
}

/** Pending requests to replace rules of policies, oldest first. */
export async function readReplacements(db: Db): Promise<{ id: number; policyId: number }[]> {
  const { rows } = await db.query<{ id: number; policyId: number }>(
    'select id, policy_id as "policyId" from alarm_replacement order by id limit 10000',
  );
  return rows;
}

/** Deletes requests that have been carried out. */
export async function deleteRequests(
  db: Db,
  comparisons: readonly number[],
  replacements: readonly number[],
): Promise<void> {
  await db.query(
    `with compared as (delete from alarm_compilation where id = any($1::bigint[]))
     delete from alarm_replacement where id = any($2::bigint[])`,
    [comparisons, replacements],
  );
}

/** Devices whose channels these requests affect. */
export async function devicesOfRequests(db: Db, requestIds: readonly number[]): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>(
    `with t as materialized (
       select distinct target_kind, target_id from alarm_compilation where id = any($1::bigint[])
     )
     select t.target_id as id from t where t.target_kind = 'device'
     union select c.device_id from t join channel c on c.id = t.target_id where t.target_kind = 'channel'
     union select c.device_id from t join channel c on c.asset_id = t.target_id where t.target_kind = 'asset'
     union select c.device_id
       from t join asset_group top on top.id = t.target_id and t.target_kind = 'asset-group'
       join asset_group g on g.path like top.path || '%'
       join asset_group_member m on m.group_id = g.id
       join channel c on c.asset_id = m.asset_id
     union select d.id
       from t join organization top on top.id = t.target_id and t.target_kind = 'organization'
       join organization o on o.path like top.path || '%'
       join device d on d.organization_id = o.id`,
    [requestIds],
  );
  return rows.map(({ id }) => id);
}

/** The changes needed to make the rules in force of some channels equal to those of their policies. */
export interface RuleDifference {
  close: { ruleId: number; channelId: number; deviceId: number; reason: AlarmEndReason }[];
  open: {
    channelId: number;
    deviceId: number;
    policyRuleId: number;
    otherChannelId: number | null;
    defrostChannelId: number | null;
    /** Channels of further conditions, 0 for one that the device does not have; null without such conditions. */
    andChannelIds: number[] | null;
    /** The limit by the products that the asset carries; null: that of the policy. */
    productLimit: number | null;
  }[];
}

/**
 * Compares the compiled rules in force of all channels of these devices with the rules of their policies.
 * For each quantity the nearest assignment wins, in this order: channel, device, asset, asset group,
 * organisation. Of several groups or organisations the innermost wins, and of several assignments to one
 * target the one for the asset's kind. If several are equally near, all of them apply. A quantity with
 * direct rules gets no rules of policies. Rules about shipments and geofences apply while the asset is where they say at `now`
 * (`HOLDS`); those with the limits of products have the tightest limits of the shipments on the asset.
 */
export async function compareRules(db: Db, deviceIds: readonly number[], now: Date): Promise<RuleDifference> {
  const { rows } = await db.query<{
    rule_id: number | null;
    channel_id: number;
    device_id: number;
    policy_rule_id: number;
    other_id: number | null;
    defrost_id: number | null;
    and_ids: number[];
    product_limit: number | null;
    reason: AlarmEndReason;
  }>(
    `with live as materialized (${LIVE} where c.device_id = any($1::bigint[]) and c.retired_at is null),
     ${APPLIES},
     ${OWN},
     ${placesAt('$2')},
     in_use as materialized (
       select r.id, r.policy_id, r.quantity, r.signal, r.defrost_delay_ms, r.leg, r.fence_id, r.fence_side, r.predicate, r.limit_value,
              case when r.predicate = 'above' then min(r.limit_value) over alike else max(r.limit_value) over alike end as mildest
         from alarm_policy_rule r join alarm_policy p on p.id = r.policy_id
        where r.until_version is null and p.deleted_at is null and p.enabled
          and p.id in (select policy_id from applies)
       window alike as (partition by r.policy_id, r.quantity, r.predicate, r.leg, r.fence_id, r.fence_side)
     ), ranked as (
       select a.id as channel_id, r.id as policy_rule_id, a.distance,
              min(a.distance) over (partition by a.id, r.quantity) as nearest
         from applies a join in_use r on r.policy_id = a.policy_id and r.quantity = a.indicator
        where not exists (select from own where own.id = a.id and own.quantity = r.quantity) and ${HOLDS}
     ), of_devices as (
       -- A rule about the device is carried by one of its channels.
       select min(a.id) over (partition by a.device_id) as channel_id, r.id as policy_rule_id, a.distance,
              min(a.distance) over (partition by a.device_id) as nearest
         from applies a join in_use r on r.policy_id = a.policy_id and r.quantity = 'contact'
        where not exists (select from own where own.device_id = a.device_id and own.quantity = 'contact') and ${HOLDS}
     ), nearest_rules as (
       select channel_id, policy_rule_id from ranked where distance = nearest
       union
       select channel_id, policy_rule_id from of_devices where distance = nearest
     ), wanted as (
       -- A rule that looks at another channel of the device names it.
       select n.channel_id, n.policy_rule_id, coalesce(other.id, 0) as other_id, coalesce(defrost.id, 0) as defrost_id,
              coalesce(further.ids, '{}') as and_ids, coalesce(trip.limit_value, 'NaN') as product_limit
         from nearest_rules n join in_use r on r.id = n.policy_rule_id
         left join lateral (
           select oc.id from channel c join channel oc on oc.device_id = c.device_id and oc.retired_at is null
             join sensor os on os.id = oc.sensor_id
            where r.signal ? 'otherQuantity' and c.id = n.channel_id and oc.indicator = r.signal ->> 'otherQuantity'
              and os.index = (r.signal ->> 'otherSensor')::int
            order by oc.id limit 1
         ) other on true
         left join lateral (
           select oc.id from channel c join channel oc on oc.device_id = c.device_id and oc.retired_at is null
            where r.defrost_delay_ms > 0 and c.id = n.channel_id and oc.indicator = 'defrost'
            order by oc.sensor_id = c.sensor_id desc, oc.id limit 1
         ) defrost on true
         left join lateral (
           select array_agg(coalesce(found.id, 0) order by part.place) as ids
             from jsonb_array_elements(r.signal -> 'and') with ordinality as part(condition, place)
             left join lateral (
               select oc.id from channel c join channel oc on oc.device_id = c.device_id and oc.retired_at is null
                 join sensor os on os.id = oc.sensor_id
                where c.id = n.channel_id and oc.indicator = part.condition ->> 'otherQuantity'
                  and os.index = (part.condition ->> 'otherSensor')::int
                order by oc.id limit 1
             ) found on true
         ) further on r.signal ? 'and'
         left join lateral (
           select round((case when r.predicate = 'above' then min((w.limits ->> 'temperatureHigh')::float8)
                              else max((w.limits ->> 'temperatureLow')::float8) end + r.limit_value - r.mildest)::numeric, 6)::float8
                  as limit_value
             from channel c join waybill_leg l on l.asset_id = c.asset_id and l.ended_at is null
             join waybill w on w.id = l.waybill_id
            where c.id = n.channel_id
         ) trip on r.leg = 'product'
        where r.signal ->> 'type' is distinct from 'difference' or other.id <> n.channel_id
     ), held as (
       select r.id as rule_id, r.channel_id, r.policy_rule_id, coalesce(r.other_channel_id, 0) as other_id,
              coalesce(r.defrost_channel_id, 0) as defrost_id, coalesce(r.and_channel_ids, '{}') as and_ids,
              case when pr.leg = 'product' then r.limit_value else 'NaN' end as product_limit
         from alarm_rule r join alarm_policy_rule pr on pr.id = r.policy_rule_id
        -- As an array, so that the rules of these channels are looked up in the index, also in a large fleet.
        where r.channel_id = any(array(select id from channel where device_id = any($1::bigint[])))
          and r.policy_rule_id is not null and r.enabled
     )
     select h.rule_id, channel_id, c.device_id, policy_rule_id, nullif(other_id, 0) as other_id, nullif(defrost_id, 0) as defrost_id, and_ids,
            nullif(product_limit, 'NaN') as product_limit,
            case when p.deleted_at is not null or not p.enabled then 'policy-disabled'
                 when pr.until_version is not null then 'rule-edited' else 'rule-changed' end as reason
       from wanted w full join held h using (channel_id, policy_rule_id, other_id, defrost_id, and_ids, product_limit)
       join channel c on c.id = channel_id
       join alarm_policy_rule pr on pr.id = policy_rule_id
       join alarm_policy p on p.id = pr.policy_id
      where w.channel_id is null or h.rule_id is null`,
    [deviceIds, await readStageTime(db, now)],
  );
  const difference: RuleDifference = { close: [], open: [] };
  for (const row of rows) {
    const { rule_id: ruleId, channel_id: channelId, device_id: deviceId, reason } = row;
    if (ruleId === null)
      difference.open.push({
        channelId,
        deviceId,
        policyRuleId: row.policy_rule_id,
        otherChannelId: row.other_id,
        defrostChannelId: row.defrost_id,
        andChannelIds: row.and_ids.length > 0 ? row.and_ids : null,
        productLimit: row.product_limit,
      });
    else difference.close.push({ ruleId, channelId, deviceId, reason });
  }
  return difference;
}

/**
 * The replacement of compiled rules in force that an edit of the policy removed, of at most `limit` channels. Rules
 * that nothing replaces are left out: their removal requested a comparison. So did the change that disabled or deleted
 * the policy, which then has no replacements.
 */
export async function listReplaced(db: Db, policyId: number, limit: number): Promise<RuleDifference> {
  const { rows } = await db.query<{
    ruleId: number;
    channelId: number;
    deviceId: number;
    policyRuleId: number;
    otherChannelId: number | null;
    defrostChannelId: number | null;
    andChannelIds: number[] | null;
  }>(
    `with recursive successor as (
       select p.id as removed_id, p.replaced_by
         from alarm_policy_rule p join alarm_policy on alarm_policy.id = p.policy_id and enabled and deleted_at is null
        where p.policy_id = $1 and p.replaced_by is not null
          and exists (select from alarm_rule r where r.policy_rule_id = p.id and r.enabled)
       union all
       select s.removed_id, r.replaced_by
         from successor s join alarm_policy_rule r on r.id = s.replaced_by where r.replaced_by is not null
     ), final as materialized (
       select s.removed_id, r.id as policy_rule_id
         from successor s join alarm_policy_rule r on r.id = s.replaced_by and r.until_version is null
     )
     select r.id::float8 as "ruleId", r.channel_id as "channelId", c.device_id::float8 as "deviceId",
            f.policy_rule_id::float8 as "policyRuleId", r.other_channel_id as "otherChannelId",
            r.defrost_channel_id as "defrostChannelId", r.and_channel_ids as "andChannelIds"
       from alarm_rule r
       join final f on f.removed_id = r.policy_rule_id
       join channel c on c.id = r.channel_id
      where r.policy_rule_id = any(array(select removed_id from final)) and r.enabled
      limit $2`,
    [policyId, limit],
  );
  return {
    close: rows.map(({ ruleId, channelId, deviceId }) => ({
      ruleId,
      channelId,
      deviceId,
      reason: 'rule-edited',
    })),
    // Rules with the limits of products are compared, not replaced.
    open: rows.map((row) => ({ ...row, productLimit: null })),
  };
}

/** Applies the difference from `at` on. */
export async function applyDifference(tx: Tx, { close, open }: RuleDifference, at: Date): Promise<void> {
  if (close.length > 0)
    await tx.query(
      `update alarm_rule r set enabled = false, valid_until = greatest($3::timestamptz, valid_from), end_reason = c.reason
         from unnest($1::bigint[], $2::text[]) as c(rule_id, reason) where r.id = c.rule_id and r.enabled`,
      [close.map(({ ruleId }) => ruleId), close.map(({ reason }) => reason), at],
    );
  if (open.length > 0)
    await tx.query(
      `insert into alarm_rule (channel_id, kind, subject, level, limit_value, recovery_margin, trigger_after_ms,
                               recover_after_ms, limit_is_outside, valid_from, policy_rule_id, signal, other_channel_id, schedule,
                               defrost_delay_ms, defrost_channel_id, and_channel_ids)
       select o.channel_id, $5::jsonb ->> (p.predicate || coalesce(':' || (p.signal ->> 'type'), '')), case when p.quantity = 'contact' then 'device' else 'channel' end,
              p.level, coalesce(o.product_limit, p.limit_value), p.recovery_margin, p.trigger_after_ms, p.recover_after_ms, p.limit_is_outside, $4, p.id,
              p.signal, o.other_id, p.schedule, p.defrost_delay_ms, o.defrost_id, o.and_ids::int4[]
         from unnest($1::int4[], $2::bigint[], $3::int4[], $6::int4[], $7::text[], $8::float8[])
              as o(channel_id, policy_rule_id, other_id, defrost_id, and_ids, product_limit)
         join alarm_policy_rule p on p.id = o.policy_rule_id`,
      [
        open.map(({ channelId }) => channelId),
        open.map((row) => row.policyRuleId),
        open.map((row) => row.otherChannelId),
        at,
        JSON.stringify(KINDS),
        open.map((row) => row.defrostChannelId),
        // Arrays of arrays must be rectangular in PostgreSQL, so each is passed as text.
        open.map(({ andChannelIds }) => andChannelIds && `{${andChannelIds}}`),
        open.map(({ productLimit }) => productLimit),
      ],
    );
}
