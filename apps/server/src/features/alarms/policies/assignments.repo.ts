import type { AssignmentTarget, ChannelPolicy, PolicyAssignment } from '@isotherm/contracts/alarm-policies';
import type { PolicyTarget } from '@isotherm/domain/alarms/policy';
import type { AssetKind } from '@isotherm/domain/assets/asset-kind';
import type { Db, Tx } from '../../../platform/db/pool.ts';
import { APPLIES, LIVE, OWN } from './compilation.repo.ts';
import { HOLDS, placesAt, readStageTime } from './places.repo.ts';
import type { PolicyUses } from './policies.repo.ts';

/** For each kind of target, the SQL for its id, its name and the path of its organisation. */
const TARGETS: Readonly<Record<PolicyTarget['kind'], string>> = {
  organization: 'select t.id, t.name, t.path from organization t where true',
  'asset-group':
    'select t.id, t.name, o.path from asset_group t join organization o on o.id = t.organization_id where true',
  asset:
    'select t.id, t.name, o.path from asset t join organization o on o.id = t.organization_id where t.deleted_at is null',
  device:
    'select t.id, t.number as name, o.path from device t join organization o on o.id = t.organization_id where t.deleted_at is null',
  // Channels of many assets have the same name, such as *Air*.
  channel: `select t.id, coalesce(a.name, d.number) || ' · ' || t.name as name, o.path
              from channel t join device d on d.id = t.device_id left join asset a on a.id = t.asset_id
              join organization o on o.id = d.organization_id where t.retired_at is null`,
};

/** Name of a target and path of its organisation, or null if the target is not within the scope. */
export async function findTarget(
  db: Db,
  scope: string,
  target: PolicyTarget,
): Promise<{ name: string; path: string } | null> {
  const { rows } = await db.query<{ name: string; path: string }>(
    `select x.name, x.path from (${TARGETS[target.kind]}) x where x.id = $1 and x.path like $2 || '%'`,
    [target.id, scope],
  );
  return rows[0] ?? null;
}

/** SQL for all targets of policies with their names. */
export const NAMED = Object.entries(TARGETS)
  .map(([kind, sql]) => `select '${kind}' as kind, x.id::bigint as id, x.name, x.path from (${sql}) x`)
  .join(' union all ');

/**
 * SQL for the current assignments, without those whose target was deleted or moved out of the policy's
 * organisation.
 */
const PRESENT = `from alarm_assignment s join alarm_policy p on p.id = s.policy_id
       join organization o on o.id = p.organization_id
       join (${NAMED}) n on n.kind = s.target_kind and n.id = s.target_id and n.path like o.path || '%'
      where s.valid_until is null`;

/**
 * Current assignments of a policy, the newest last, each with the number of channels for which direct rules
 * come first. Only devices with direct rules are compared with the assignments.
 */
export async function listAssignmentRows(db: Db, policyId: number): Promise<PolicyAssignment[]> {
  const { rows } = await db.query<Omit<PolicyAssignment, 'since'> & { since: Date }>(
    `with live as materialized (
       ${LIVE} where c.retired_at is null and c.device_id in (
         select k.device_id from alarm_rule r join channel k on k.id = r.channel_id
          where r.policy_rule_id is null and r.enabled)
     ), ${APPLIES}, ${OWN}, kept as (
       select x.assignment_id, count(distinct x.id)::int as channels
         from reaches x
         join own on own.device_id = x.device_id and (own.id = x.id or own.quantity = 'contact')
        where x.policy_id = $1
          and own.quantity in (select quantity from alarm_policy_rule where policy_id = $1 and until_version is null)
        group by 1
     )
     select s.id, s.target_kind as kind, s.target_id::float8 as "targetId", n.name, s.asset_kind as "assetKind",
            s.assigned_by as "assignedBy", s.valid_from as since,
            coalesce((select channels from kept where assignment_id = s.id), 0) as "ownRuleChannels"
       ${PRESENT} and s.policy_id = $1 order by s.id`,
    [policyId],
  );
  return rows.map((row) => ({ ...row, since: row.since.toISOString() }));
}

/**
 * Counts, for each of these policies, its assignments and the assets, devices and channels for which its
 * rules are in force. Only one rule of those
 * that apply at the same places is counted for each quantity, because a channel has all of them or none.
 */
export async function countUses(db: Db, policyIds: readonly number[]): Promise<Map<number, PolicyUses>> {
  const { rows } = await db.query<PolicyUses & { id: number }>(
    `select w.id, t.targets, u.assets, u.devices, u.channels
       from unnest($1::bigint[]) as w(id)
      cross join lateral (select count(*)::int as targets ${PRESENT} and s.policy_id = w.id) t
      cross join lateral (
        select count(distinct c.asset_id)::int as assets, count(distinct c.device_id)::int as devices,
               count(distinct c.id)::int as channels
          from (select min(id) as id from alarm_policy_rule
                 where policy_id = w.id and until_version is null group by quantity, leg, fence_id, fence_side) pr
          join alarm_rule r on r.policy_rule_id = pr.id and r.policy_rule_id is not null and r.enabled
          join channel c on c.id = r.channel_id
      ) u`,
    [policyIds],
  );
  return new Map(rows.map(({ id, ...uses }) => [id, uses]));
}

/** Returns false if the policy is already assigned to this target. */
export async function insertAssignment(
  tx: Tx,
  policyId: number,
  { kind, id, assetKind }: AssignmentTarget,
  from: Date,
  by: string,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `insert into alarm_assignment (policy_id, target_kind, target_id, asset_kind, valid_from, assigned_by)
     values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
    [policyId, kind, id, assetKind, from, by],
  );
  return rowCount === 1;
}

/** Ends an assignment and returns it; null if there was none in force. */
export async function endAssignment(
  tx: Tx,
  policyId: number,
  assignmentId: number,
  until: Date,
): Promise<{ kind: PolicyTarget['kind']; id: number; assetKind: AssetKind | null } | null> {
  const { rows } = await tx.query<{ kind: PolicyTarget['kind']; id: number; assetKind: AssetKind | null }>(
    `update alarm_assignment set valid_until = $3
      where policy_id = $1 and id = $2 and valid_until is null
     returning target_kind as kind, target_id::float8 as id, asset_kind as "assetKind"`,
    [policyId, assignmentId, until],
  );
  return rows[0] ?? null;
}

export interface ExplainedPolicy extends ChannelPolicy {
  /** True if it applies whenever its conditions are met: it is enabled, and neither a nearer policy nor a direct rule overrides it. */
  isNearest: boolean;
}

/**
 * All policies that reach the channels of an asset, nearest first, and whether they apply at `now`. Policies of organisations above the
 * caller's own are included, because their rules are in force for this asset, too.
 */
export async function explainAsset(db: Db, assetId: number, now: Date): Promise<ExplainedPolicy[]> {
  const { rows } = await db.query<ExplainedPolicy>(
    `with live as materialized (${LIVE} where c.asset_id = $1 and c.retired_at is null),
     ${APPLIES}, ${OWN}, ${placesAt('$2')}, named as materialized (${NAMED}), found as (
       select l.id as channel_id, c.name as channel_name, d.number as device_number, sn.index as sensor, r.quantity, p.id as policy_id, p.name as policy_name,
              p.enabled, r.holds, a.distance, s.target_kind, n.name as target_name,
              exists (select from own where own.quantity = r.quantity
                         and (own.id = l.id or r.quantity = 'contact' and own.device_id = l.device_id)) as has_own,
              min(a.distance) filter (where p.enabled) over (partition by l.id, r.quantity) as nearest,
              min(a.distance) filter (where p.enabled and r.holds) over (partition by l.id, r.quantity) as nearest_now,
              row_number() over (partition by l.id, r.quantity, p.id order by x.distance) as nth
         from applies a join live l on l.id = a.id
         join channel c on c.id = l.id join sensor sn on sn.id = c.sensor_id join device d on d.id = c.device_id
         join alarm_policy p on p.id = a.policy_id and p.deleted_at is null and p.definition is not null
         join lateral (select r.quantity, bool_or(${HOLDS}) as holds from alarm_policy_rule r
                        where r.policy_id = p.id and r.until_version is null group by 1) r on r.quantity in (l.indicator, 'contact')
         join reaches x on x.id = l.id and x.distance = a.distance
         join assigned s on s.assignment_id = x.assignment_id and s.policy_id = p.id
         join named n on n.kind = s.target_kind and n.id = s.target_id
     )
     select channel_id as "channelId", channel_name as "channelName", device_number as "deviceNumber", sensor, quantity, policy_id as "policyId",
            policy_name as "policyName", json_build_object('kind', target_kind, 'name', target_name) as target,
            case when not enabled then 'disabled' when has_own then 'own-rules'
                 when holds and distance = nearest_now then 'applies'
                 when nearest_now < distance then 'overridden' else 'not-now' end as state,
            enabled and not has_own and distance = nearest as "isNearest"
       from found where nth = 1 order by channel_id, quantity, distance, policy_id`,
    [assetId, await readStageTime(db, now)],
  );
  return rows;
}
