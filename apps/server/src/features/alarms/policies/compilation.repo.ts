import { type AlarmEndReason, KIND_OF } from '@isotherm/domain/alarms/catalogue';
import type { Db, Tx } from '../../../platform/db/pool.ts';

/** Requests that wait, oldest first. */
export async function readRequests(db: Db): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>('select id from alarm_compilation order by id limit 10000');
  return rows.map(({ id }) => id);
}

export async function deleteRequests(db: Db, ids: readonly number[]): Promise<void> {
  await db.query('delete from alarm_compilation where id = any($1::bigint[])', [ids]);
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
  close: { ruleId: number; channelId: number; reason: AlarmEndReason }[];
  open: { channelId: number; policyRuleId: number }[];
}

/** Compares the compiled rules in force of all channels of these devices with those of their policies. */
export async function compareRules(db: Db, deviceIds: readonly number[]): Promise<RuleDifference> {
  const { rows } = await db.query<{
    rule_id: number | null;
    channel_id: number;
    policy_rule_id: number;
    reason: AlarmEndReason;
  }>(
    `with live as materialized (
       select c.id, c.device_id, c.asset_id, c.indicator, d.organization_id
         from channel c join device d on d.id = c.device_id and d.deleted_at is null
        where c.device_id = any($1::bigint[]) and c.retired_at is null
     ), assigned as materialized (
       select policy_id, target_kind, target_id from alarm_assignment where valid_until is null
     ), applies as materialized (
       select l.id, s.policy_id from live l join assigned s on s.target_kind = 'channel' and s.target_id = l.id
       union select l.id, s.policy_id from live l join assigned s on s.target_kind = 'device' and s.target_id = l.device_id
       union select l.id, s.policy_id from live l join assigned s on s.target_kind = 'asset' and s.target_id = l.asset_id
       union select l.id, s.policy_id
         from assigned s join asset_group top on top.id = s.target_id and s.target_kind = 'asset-group'
         join asset_group g on g.path like top.path || '%'
         join asset_group_member m on m.group_id = g.id
         join live l on l.asset_id = m.asset_id
       union select l.id, s.policy_id
         from assigned s join organization top on top.id = s.target_id and s.target_kind = 'organization'
         join organization o on o.path like top.path || '%'
         join live l on l.organization_id = o.id
     ), wanted as (
       select l.id as channel_id, r.id as policy_rule_id
         from applies a join live l on l.id = a.id
         join alarm_policy p on p.id = a.policy_id and p.deleted_at is null
         join alarm_policy_rule r on r.policy_id = p.id and r.until_version is null and r.quantity = l.indicator
       union
       -- A rule about the device is carried by one of its channels.
       select min(l.id), r.id
         from applies a join live l on l.id = a.id
         join alarm_policy p on p.id = a.policy_id and p.deleted_at is null
         join alarm_policy_rule r on r.policy_id = p.id and r.until_version is null and r.quantity = 'contact'
        group by l.device_id, r.id
     ), held as (
       select r.id as rule_id, r.channel_id, r.policy_rule_id
         from alarm_rule r join channel c on c.id = r.channel_id
        where c.device_id = any($1::bigint[]) and r.policy_rule_id is not null and r.enabled
     )
     select h.rule_id, channel_id, policy_rule_id,
            case when p.deleted_at is not null then 'policy-disabled'
                 when pr.until_version is not null then 'rule-edited' else 'rule-changed' end as reason
       from wanted w full join held h using (channel_id, policy_rule_id)
       join alarm_policy_rule pr on pr.id = policy_rule_id
       join alarm_policy p on p.id = pr.policy_id
      where w.channel_id is null or h.rule_id is null`,
    [deviceIds],
  );
  const difference: RuleDifference = { close: [], open: [] };
  for (const { rule_id, channel_id, policy_rule_id, reason } of rows)
    if (rule_id === null) difference.open.push({ channelId: channel_id, policyRuleId: policy_rule_id });
    else difference.close.push({ ruleId: rule_id, channelId: channel_id, reason });
  return difference;
}

/** Applies the difference from `at` on. */
export async function applyDifference(tx: Tx, { close, open }: RuleDifference, at: Date): Promise<void> {
  if (close.length > 0)
    await tx.query(
      `update alarm_rule r set enabled = false, valid_until = greatest($3::timestamptz, valid_from), end_reason = c.reason
         from unnest($1::bigint[], $2::text[]) as c(rule_id, reason) where r.id = c.rule_id`,
      [close.map(({ ruleId }) => ruleId), close.map(({ reason }) => reason), at],
    );
  if (open.length > 0)
    await tx.query(
      `insert into alarm_rule (channel_id, kind, subject, level, limit_value, recovery_margin, trigger_after_ms,
                               recover_after_ms, limit_is_outside, valid_from, policy_rule_id)
       select o.channel_id, $4::jsonb ->> p.predicate, case when p.quantity = 'contact' then 'device' else 'channel' end,
              p.level, p.limit_value, p.recovery_margin, p.trigger_after_ms, p.recover_after_ms, p.limit_is_outside, $3, p.id
         from unnest($1::int4[], $2::bigint[]) as o(channel_id, policy_rule_id)
         join alarm_policy_rule p on p.id = o.policy_rule_id`,
      [
        open.map(({ channelId }) => channelId),
        open.map((row) => row.policyRuleId),
        at,
        JSON.stringify(KIND_OF),
      ],
    );
}
