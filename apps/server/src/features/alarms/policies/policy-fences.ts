import { AppError } from '@isotherm/contracts/errors';
import { fencesOf, type PolicyDefinition } from '@isotherm/domain/alarms/graded-policy';
import type { Tx } from '../../../platform/db/pool.ts';
import { findPoliciesAtFence, keepFences, listPolicyFences } from './policy-fences.repo.ts';

/**
 * Throws `policy.fence` if policies of the organisation at `path` may not name one of the geofences of a definition. Those that the policy
 * named `before` are accepted.
 */
export async function checkFences(
  tx: Tx,
  path: string,
  definition: PolicyDefinition,
  before?: PolicyDefinition,
): Promise<void> {
  const known = new Set(before ? fencesOf(before) : []);
  const ids = fencesOf(definition).filter((id) => !known.has(id));
  if (ids.length === 0) return;
  await keepFences(tx, ids);
  const usable = await listPolicyFences(tx, path, { ids });
  if (usable.length < ids.length) throw new AppError('policy.fence');
}

/** Throws `geofence.in_policies` if a policy names the geofence. The error names policies within the scope only. */
export async function refuseFenceOfPolicies(tx: Tx, fenceId: number, scope: string): Promise<void> {
  const { isNamed, names } = await findPoliciesAtFence(tx, scope, fenceId);
  if (isNamed) throw new AppError('geofence.in_policies', { names: names.join(', ') || '–' });
}
