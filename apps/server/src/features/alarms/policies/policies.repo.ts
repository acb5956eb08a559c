import type { PolicyRule, PolicyTarget } from '@isotherm/domain/alarms/policy';
import type { Tx } from '../../../platform/db/pool.ts';

export async function insertPolicy(tx: Tx, organizationId: number, name: string): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    'insert into alarm_policy (organization_id, name) values ($1, $2) returning id',
    [organizationId, name],
  );
  return (rows[0] as { id: number }).id;
}

/** Increments the version of a policy, which requests its compilation; null if the policy does not exist. */
export async function nextVersion(tx: Tx, policyId: number): Promise<number | null> {
  const { rows } = await tx.query<{ version: number }>(
    'update alarm_policy set version = version + 1 where id = $1 and deleted_at is null returning version',
    [policyId],
  );
  return rows[0]?.version ?? null;
}

export async function deletePolicy(tx: Tx, policyId: number, at: Date): Promise<void> {
  await tx.query('update alarm_policy set deleted_at = $2 where id = $1 and deleted_at is null', [
    policyId,
    at,
  ]);
}

export interface StoredPolicyRule extends PolicyRule {
  id: number;
}

export async function listPolicyRules(tx: Tx, policyId: number): Promise<StoredPolicyRule[]> {
  const { rows } = await tx.query<StoredPolicyRule>(
    `select id, quantity, predicate, level, limit_value as "limit", recovery_margin as "recoveryMargin",
            trigger_after_ms as "triggerAfterMs", recover_after_ms as "recoverAfterMs",
            limit_is_outside as "limitIsOutside"
       from alarm_policy_rule where policy_id = $1 and until_version is null order by id`,
    [policyId],
  );
  return rows;
}

export async function insertPolicyRules(
  tx: Tx,
  policyId: number,
  version: number,
  rules: readonly PolicyRule[],
): Promise<void> {
  await tx.query(
    `insert into alarm_policy_rule (policy_id, since_version, quantity, predicate, level, limit_value, recovery_margin,
                                    trigger_after_ms, recover_after_ms, limit_is_outside)
     select $1, $2, quantity, predicate, level, "limit", "recoveryMargin", "triggerAfterMs", "recoverAfterMs",
            "limitIsOutside"
       from jsonb_to_recordset($3::jsonb) as r(quantity text, predicate text, level smallint, "limit" float8,
            "recoveryMargin" float8, "triggerAfterMs" bigint, "recoverAfterMs" bigint, "limitIsOutside" boolean)`,
    [policyId, version, JSON.stringify(rules)],
  );
}

export async function endPolicyRules(tx: Tx, ids: readonly number[], version: number): Promise<void> {
  await tx.query('update alarm_policy_rule set until_version = $2 where id = any($1)', [ids, version]);
}

export async function insertAssignment(
  tx: Tx,
  policyId: number,
  target: PolicyTarget,
  from: Date,
): Promise<void> {
  await tx.query(
    `insert into alarm_assignment (policy_id, target_kind, target_id, valid_from) values ($1, $2, $3, $4)
     on conflict do nothing`,
    [policyId, target.kind, target.id, from],
  );
}

export async function endAssignment(
  tx: Tx,
  policyId: number,
  target: PolicyTarget,
  until: Date,
): Promise<void> {
  await tx.query(
    `update alarm_assignment set valid_until = $4
      where policy_id = $1 and target_kind = $2 and target_id = $3 and valid_until is null`,
    [policyId, target.kind, target.id, until],
  );
}
