import type { AlarmPolicy } from '@isotherm/contracts/alarm-policies';
import { type PolicyDefinition, rulesOf } from '@isotherm/domain/alarms/graded-policy';
import { isSamePolicyRule, type PolicyRule, replacementsOf } from '@isotherm/domain/alarms/policy';
import { containing } from '../../../platform/db/like.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';

/** Numbers of targets, assets, devices and channels that use a policy. */
export type PolicyUses = Pick<AlarmPolicy, 'targets' | 'assets' | 'devices' | 'channels'>;

export interface PolicyRow extends Omit<AlarmPolicy, 'changedAt' | 'fences' | keyof PolicyUses> {
  organizationPath: string;
  changedAt: Date;
}

export interface PolicyFilter {
  search: string;
  organizationId?: number | undefined;
  enabled?: 'true' | 'false' | undefined;
}

export interface PolicyPage {
  sort: 'name' | 'organization' | 'changedAt';
  order: 'asc' | 'desc';
  limit: number;
  offset: number;
}

const COLUMNS = `p.id, p.organization_id as "organizationId", o.name as "organizationName", o.path as "organizationPath",
  p.name, p.description, p.enabled, p.definition, p.version, p.changed_by as "changedBy", p.changed_at as "changedAt"`;
/** SQL for policies that people created, with their organisation. */
const FROM = `from alarm_policy p join organization o on o.id = p.organization_id
  where p.deleted_at is null and p.definition is not null`;
const SORT = { name: 'lower(p.name)', organization: 'lower(o.name)', changedAt: 'p.changed_at' } as const;

export async function listPolicyRows(
  db: Db,
  scope: string,
  { search, organizationId, enabled }: PolicyFilter,
  { sort, order, limit, offset }: PolicyPage,
): Promise<{ rows: PolicyRow[]; total: number }> {
  const where = `and o.path like $1 || '%' and ($2 = '' or lower(p.name || ' ' || p.description) like $2)
      and ($3::bigint is null or p.organization_id = $3) and ($4::boolean is null or p.enabled = $4)`;
  const values = [
    scope,
    containing(search.trim().toLowerCase()),
    organizationId ?? null,
    enabled === undefined ? null : enabled === 'true',
  ];
  const [found, count] = await Promise.all([
    db.query<PolicyRow>(
      `select ${COLUMNS} ${FROM} ${where} order by ${SORT[sort]} ${order}, p.id ${order} limit $5 offset $6`,
      [...values, limit, offset],
    ),
    db.query<{ count: number }>(`select count(*)::int as count ${FROM} ${where}`, values),
  ]);
  return { rows: found.rows, total: count.rows[0]?.count ?? 0 };
}

export async function findPolicy(db: Db, scope: string, id: number): Promise<PolicyRow | null> {
  const { rows } = await db.query<PolicyRow>(
    `select ${COLUMNS} ${FROM} and o.path like $1 || '%' and p.id = $2`,
    [scope, id],
  );
  return rows[0] ?? null;
}

/** Time zone of an organisation. */
export async function zoneOfOrganization(db: Db, id: number): Promise<string> {
  const { rows } = await db.query<{ zone: string }>(
    'select time_zone as zone from organization where id = $1',
    [id],
  );
  return rows[0]?.zone ?? 'UTC';
}

export async function lockPolicy(tx: Tx, id: number): Promise<void> {
  await tx.query('select from alarm_policy where id = $1 for update', [id]);
}

export interface PolicyFields {
  name: string;
  description: string;
  enabled: boolean;
  definition: PolicyDefinition;
  changedBy: string;
  changedAt: Date;
}

/** Inserts a policy with the rules of its definition. */
export async function insertPolicy(tx: Tx, organizationId: number, fields: PolicyFields): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into alarm_policy (organization_id, name, description, enabled, definition, changed_by, changed_at)
     values ($1, $2, $3, $4, $5, $6, $7) returning id`,
    [organizationId, ...valuesOf(fields)],
  );
  const { id } = rows[0] as { id: number };
  await insertPolicyRules(tx, id, 1, rulesOf(fields.definition));
  return id;
}

/**
 * Stores the next version of a policy, which requests its compilation. Rules that stay the same remain in
 * force. If the others only get new numbers or schedules, the request is to replace them, without a comparison.
 */
export async function updatePolicy(tx: Tx, id: number, fields: PolicyFields): Promise<void> {
  const before = await listPolicyRules(tx, id);
  const wanted = rulesOf(fields.definition);
  const removed = before.filter((rule) => !wanted.some((other) => isSamePolicyRule(rule, other)));
  const added = wanted.filter((rule) => !before.some((other) => isSamePolicyRule(rule, other)));
  const replacements = replacementsOf(removed, added);
  const { rows } = await tx.query<{ version: number }>(
    `update alarm_policy set name = $2, description = $3, enabled = $4, definition = $5, changed_by = $6,
            changed_at = $7, version = version + 1,
            replacing_version = case when $8 then version + 1 else replacing_version end
      where id = $1 returning version`,
    [id, ...valuesOf(fields), replacements !== null],
  );
  const { version } = rows[0] as { version: number };
  await insertPolicyRules(tx, id, version, added);
  const stored = replacements ? await listPolicyRules(tx, id) : [];
  const successorOf = (rule: StoredPolicyRule) => {
    const replacement = replacements?.get(rule);
    return stored.find((other) => replacement && isSamePolicyRule(other, replacement))?.id ?? null;
  };
  await tx.query(
    `update alarm_policy_rule r set until_version = $2, replaced_by = n.replaced_by
       from unnest($1::bigint[], $3::bigint[]) as n(id, replaced_by) where r.id = n.id`,
    [removed.map((rule) => rule.id), version, removed.map(successorOf)],
  );
}

const valuesOf = ({ name, description, enabled, definition, changedBy, changedAt }: PolicyFields) => [
  name,
  description,
  enabled,
  JSON.stringify(definition),
  changedBy,
  changedAt,
];

/** Deletes a policy. Its assignments end at the same time. */
export async function deletePolicyRow(tx: Tx, id: number, by: string, at: Date): Promise<void> {
  await tx.query(
    'update alarm_policy set deleted_at = $2, changed_by = $3, changed_at = $2 where id = $1 and deleted_at is null',
    [id, at, by],
  );
  await tx.query(
    'update alarm_assignment set valid_until = greatest($2, valid_from) where policy_id = $1 and valid_until is null',
    [id, at],
  );
}

interface StoredPolicyRule extends PolicyRule {
  id: number;
}

async function listPolicyRules(tx: Tx, policyId: number): Promise<StoredPolicyRule[]> {
  const { rows } = await tx.query<StoredPolicyRule>(
    `select id, quantity, predicate, signal, schedule, level, limit_value as "limit", recovery_margin as "recoveryMargin",
            trigger_after_ms::float8 as "triggerAfterMs", recover_after_ms::float8 as "recoverAfterMs",
            limit_is_outside as "limitIsOutside", defrost_delay_ms::float8 as "defrostDelayMs", leg,
            case when fence_id is not null then json_build_object('fenceId', fence_id, 'side', fence_side) end as fence
       from alarm_policy_rule where policy_id = $1 and until_version is null order by id`,
    [policyId],
  );
  return rows;
}

async function insertPolicyRules(
  tx: Tx,
  policyId: number,
  version: number,
  rules: readonly PolicyRule[],
): Promise<void> {
  await tx.query(
    `insert into alarm_policy_rule (policy_id, since_version, quantity, predicate, signal, level, limit_value, recovery_margin,
                                    trigger_after_ms, recover_after_ms, limit_is_outside, schedule, defrost_delay_ms, leg, fence_id,
                                    fence_side)
     select $1, $2, quantity, predicate, signal, level, "limit", "recoveryMargin", "triggerAfterMs", "recoverAfterMs",
            "limitIsOutside", schedule, "defrostDelayMs", leg, (fence ->> 'fenceId')::bigint, fence ->> 'side'
       from jsonb_to_recordset($3::jsonb) as r(quantity text, predicate text, signal jsonb, level smallint, "limit" float8,
            "recoveryMargin" float8, "triggerAfterMs" bigint, "recoverAfterMs" bigint, "limitIsOutside" boolean, schedule jsonb,
            "defrostDelayMs" bigint, leg text, fence jsonb)`,
    [policyId, version, JSON.stringify(rules)],
  );
}
