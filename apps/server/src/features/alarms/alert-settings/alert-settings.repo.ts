import type { AlertSetting, listAlertSettings } from '@isotherm/contracts/alert-settings';
import { SILENCE_KINDS } from '@isotherm/domain/alarms/catalogue';
import type { SettingsChannel } from '@isotherm/domain/alarms/copied-settings';
import type { z } from 'zod';
import { containing } from '../../../platform/db/like.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';
import { NAMED } from '../policies/assignments.repo.ts';
import { APPLIES, LIVE } from '../policies/compilation.repo.ts';

type Query = z.output<(typeof listAlertSettings)['query']>;

const IS_LIMIT = `not (r.kind = any('{${SILENCE_KINDS.join()}}'))`;
const SOURCE = `case when exists (select from alarm_rule r where r.channel_id = c.id and r.enabled
                                    and r.policy_rule_id is null and ${IS_LIMIT}) then 'own'
                     when exists (select from alarm_rule r where r.channel_id = c.id and r.enabled and ${IS_LIMIT}) then 'policy'
                     else 'none' end`;

const SORT = {
  asset: 'lower(c.asset_name)',
  quantity: 'c.indicator',
  organization: 'lower(c.organization_name)',
} as const;

/** Channels of assets within the scope that match the query, without the filter by source. */
const FOUND = `found as materialized (
  select c.*, ${SOURCE} as source from (
    select c.id, c.name, c.indicator, s.index as sensor, d.number, a.id as asset_id, a.name as asset_name,
           a.kind as asset_kind, o.id as organization_id, o.name as organization_name
      from channel c join sensor s on s.id = c.sensor_id join device d on d.id = c.device_id and d.deleted_at is null
      join asset a on a.id = c.asset_id and a.deleted_at is null join organization o on o.id = a.organization_id
     where c.retired_at is null and o.path like $1 || '%'
       and ($2 = '' or lower(concat_ws(' ', a.name, a.code, c.name, d.number)) like $2)
       and ($3::bigint is null or o.path like (select f.path from organization f where f.id = $3) || '%')
       and ($4::bigint is null or exists (
             select from asset_group top join asset_group g on g.path like top.path || '%'
               join asset_group_member m on m.group_id = g.id where top.id = $4 and m.asset_id = a.id))
       and ($5::bigint is null or a.id = $5)
       and ($6::bigint is null or exists (
             select from alarm_rule r join alarm_policy_rule p on p.id = r.policy_rule_id
              where r.channel_id = c.id and r.enabled and p.policy_id = $6))
       and ($7::text is null or c.indicator = $7)
  ) c)`;

interface Counts {
  none: number;
  own: number;
  policy: number;
}

/** A page of the channels within the scope with their rules in force. */
export async function listSettingRows(
  db: Db,
  scope: string,
  query: Query,
): Promise<{ items: AlertSetting[]; total: number } & Counts> {
  const values = [
    scope,
    containing(query.search.trim().toLowerCase()),
    query.organizationId ?? null,
    query.groupId ?? null,
    query.assetId ?? null,
    query.policyId ?? null,
    query.quantity ?? null,
  ];
  const order = `${SORT[query.sort]} ${query.order}, c.asset_id, c.sensor, c.id`;
  const [found, counted] = await Promise.all([
    db.query<Omit<AlertSetting, 'policies'>>(
      `with ${FOUND}
       select c.id::float8 as "channelId", c.name as "channelName", c.indicator, c.sensor, c.number as "deviceNumber",
              c.asset_id::float8 as "assetId", c.asset_name as "assetName", c.asset_kind as "assetKind",
              c.organization_id::float8 as "organizationId", c.organization_name as "organizationName", c.source,
              (select coalesce(json_agg(json_build_object('id', r.id, 'kind', r.kind, 'level', r.level,
                        'limitValue', r.limit_value, 'recoveryMargin', r.recovery_margin,
                        'triggerAfterMs', r.trigger_after_ms,
                        'policy', case when p.id is null then null else json_build_object('id', p.id, 'name', p.name) end)
                      order by r.level, r.kind, r.id), '[]')
                 from alarm_rule r left join alarm_policy_rule pr on pr.id = r.policy_rule_id
                 left join alarm_policy p on p.id = pr.policy_id
                where r.channel_id = c.id and r.enabled) as rules
         from found c where $8::text is null or c.source = $8
        order by ${order} limit $9 offset $10`,
      [...values, query.source ?? null, query.pageSize, (query.page - 1) * query.pageSize],
    ),
    db.query<Counts>(
      `with ${FOUND}
       select count(*) filter (where source = 'none')::int as none, count(*) filter (where source = 'own')::int as own,
              count(*) filter (where source = 'policy')::int as policy from found`,
      values,
    ),
  ]);
  const counts = counted.rows[0] ?? { none: 0, own: 0, policy: 0 };
  const winners = await listWinners(
    db,
    found.rows.map(({ channelId }) => channelId),
  );
  return {
    items: found.rows.map((row) => {
      const ids = new Set(row.rules.map(({ policy }) => policy?.id));
      return {
        ...row,
        policies: winners
          .filter(({ channelId, id }) => channelId === row.channelId && ids.has(id))
          .map(({ id, name, target }) => ({ id, name, target })),
      };
    }),
    total: query.source ? counts[query.source] : counts.none + counts.own + counts.policy,
    ...counts,
  };
}

type Winner = AlertSetting['policies'][number] & { channelId: number };

/** For each channel and policy that reaches it, the nearest assignment. */
async function listWinners(db: Db, channelIds: readonly number[]): Promise<Winner[]> {
  if (channelIds.length === 0) return [];
  const { rows } = await db.query<Winner>(
    `with live as materialized (${LIVE} where c.id = any($1::int4[])),
     ${APPLIES}, named as materialized (${NAMED})
     select distinct on (x.id, p.id) x.id::float8 as "channelId", p.id::float8 as id, p.name,
            json_build_object('kind', x.target_kind, 'name', n.name) as target
       from reaches x join alarm_policy p on p.id = x.policy_id
       join named n on n.kind = x.target_kind and n.id = x.target_id
      order by x.id, p.id, x.distance`,
    [channelIds],
  );
  return rows;
}

export interface CopiedChannel extends SettingsChannel {
  deviceId: number;
}

/** Channels of an asset, for a copy of settings. */
export async function listSettingsChannels(db: Db, assetId: number): Promise<CopiedChannel[]> {
  const { rows } = await db.query<CopiedChannel>(
    `select c.id::float8 as "channelId", c.indicator, s.index as sensor, c.device_id::float8 as "deviceId"
       from channel c join sensor s on s.id = c.sensor_id join device d on d.id = c.device_id and d.deleted_at is null
      where c.asset_id = $1 and c.retired_at is null order by c.id`,
    [assetId],
  );
  return rows;
}

/** Ids of the direct rules in force of these channels, with their channels. */
export async function listDirectRules(
  db: Db,
  channelIds: readonly number[],
): Promise<{ id: number; channelId: number }[]> {
  const { rows } = await db.query<{ id: number; channelId: number }>(
    `select id::float8 as id, channel_id::float8 as "channelId" from alarm_rule
      where channel_id = any($1::int4[]) and policy_rule_id is null and enabled`,
    [channelIds],
  );
  return rows;
}

/** Ends these direct rules, and copies the direct rules of other channels, each pair `[from, to]`. */
export async function replaceDirectRules(
  tx: Tx,
  ended: readonly number[],
  copies: readonly (readonly [number, number])[],
  at: Date,
): Promise<void> {
  await tx.query(
    `update alarm_rule set enabled = false, valid_until = greatest($2::timestamptz, valid_from), end_reason = 'rule-changed'
      where id = any($1::bigint[]) and enabled`,
    [ended, at],
  );
  await tx.query(
    `insert into alarm_rule (channel_id, kind, subject, level, limit_value, recovery_margin, trigger_after_ms,
                             recover_after_ms, limit_is_outside, valid_from)
     select w.to_id, r.kind, r.subject, r.level, r.limit_value, r.recovery_margin, r.trigger_after_ms,
            r.recover_after_ms, r.limit_is_outside, $3
       from unnest($1::int4[], $2::int4[]) as w(from_id, to_id)
       join alarm_rule r on r.channel_id = w.from_id and r.policy_rule_id is null and r.enabled and r.signal is null`,
    [copies.map(([from]) => from), copies.map(([, to]) => to), at],
  );
}

/** Requests the compilation of the policies of an asset, because its direct rules have changed. */
export async function requestCompilation(tx: Tx, assetId: number): Promise<void> {
  await tx.query(`insert into alarm_compilation (target_kind, target_id) values ('asset', $1)`, [assetId]);
}

/**
 * Ids of the policies that are assigned to this asset, its devices or channels, by kind of target, where the
 * policy belongs to the scope.
 */
export async function listDirectAssignments(
  db: Db,
  scope: string,
  assetId: number,
): Promise<{ id: number; policyId: number; kind: string; targetId: number }[]> {
  const { rows } = await db.query<{ id: number; policyId: number; kind: string; targetId: number }>(
    `select s.id::float8 as id, s.policy_id::float8 as "policyId", s.target_kind as kind, s.target_id::float8 as "targetId"
       from alarm_assignment s join alarm_policy p on p.id = s.policy_id join organization o on o.id = p.organization_id
      where s.valid_until is null and o.path like $1 || '%'
        and (s.target_kind = 'asset' and s.target_id = $2
             or s.target_kind = 'device' and s.target_id in (select device_id from channel where asset_id = $2 and retired_at is null)
             or s.target_kind = 'channel' and s.target_id in (select id from channel where asset_id = $2 and retired_at is null))`,
    [scope, assetId],
  );
  return rows;
}
