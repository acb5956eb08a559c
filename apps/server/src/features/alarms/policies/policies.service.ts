import {
  isSamePolicyRule,
  type PolicyRule,
  type PolicyTarget,
  policyRuleFault,
} from '@isotherm/domain/alarms/policy';
import type pg from 'pg';
import type { Clock } from '../../../platform/clock.ts';
import { type Tx, transaction } from '../../../platform/db/pool.ts';
import type { Compiler } from './compile.ts';
import {
  deletePolicy,
  endAssignment,
  endPolicyRules,
  insertAssignment,
  insertPolicy,
  insertPolicyRules,
  listPolicyRules,
  nextVersion,
} from './policies.repo.ts';

/**
 * Policies and their assignments. Each change is in force for all channels concerned when the call returns;
 * if it is interrupted by a crash, another process completes it. The caller checks permissions and writes the
 * audit log.
 */
export interface PoliciesService {
  create(policy: { organizationId: number; name: string; rules: readonly PolicyRule[] }): Promise<number>;
  /** Replaces the rules of a policy. Rules that stay the same stay in force. */
  edit(policyId: number, rules: readonly PolicyRule[]): Promise<void>;
  remove(policyId: number): Promise<void>;
  assign(policyId: number, target: PolicyTarget): Promise<void>;
  unassign(policyId: number, target: PolicyTarget): Promise<void>;
}

export function createPoliciesService(pool: pg.Pool, clock: Clock, compiler: Compiler): PoliciesService {
  async function change<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const result = await transaction(pool, work);
    await compiler.compile();
    return result;
  }

  return {
    async create({ organizationId, name, rules }) {
      check(rules);
      return change(async (tx) => {
        const id = await insertPolicy(tx, organizationId, name);
        await insertPolicyRules(tx, id, 1, rules);
        return id;
      });
    },
    async edit(policyId, rules) {
      check(rules);
      await change(async (tx) => {
        const version = await nextVersion(tx, policyId);
        if (version === null) throw new Error(`There is no policy ${policyId}.`);
        const before = await listPolicyRules(tx, policyId);
        const gone = before.filter((rule) => !rules.some((other) => isSamePolicyRule(rule, other)));
        const added = rules.filter((rule) => !before.some((other) => isSamePolicyRule(rule, other)));
        await endPolicyRules(
          tx,
          gone.map(({ id }) => id),
          version,
        );
        await insertPolicyRules(tx, policyId, version, added);
      });
    },
    remove: (policyId) => change((tx) => deletePolicy(tx, policyId, new Date(clock.now()))),
    assign: (policyId, target) =>
      change((tx) => insertAssignment(tx, policyId, target, new Date(clock.now()))),
    unassign: (policyId, target) =>
      change((tx) => endAssignment(tx, policyId, target, new Date(clock.now()))),
  };
}

/** A last check: callers validate user input, this rejects rules that no evaluator supports. */
function check(rules: readonly PolicyRule[]): void {
  for (const rule of rules) {
    const fault = policyRuleFault(rule);
    if (fault) throw new Error(`A rule of a policy cannot be compiled: ${fault}.`);
  }
}
