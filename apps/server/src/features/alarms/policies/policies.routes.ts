import {
  assignPolicy,
  copyPolicy,
  countPolicyReach,
  createPolicy,
  deletePolicy,
  editPolicy,
  endOwnRules,
  explainAssetPolicies,
  getPolicy,
  getPushKey,
  listAssignments,
  listPolicies,
  listPolicyFences,
  listPolicyRecipients,
  unassignPolicy,
} from '@isotherm/contracts/alarm-policies';
import type { Mount } from '../../../platform/http/mount.ts';
import type { PoliciesService } from './policies.service.ts';

export function mountPolicies(mount: Mount, service: PoliciesService): void {
  mount(listPolicies, ({ caller, query }) => service.list(caller, query));
  mount(listPolicyFences, ({ caller, query }) => service.fences(caller, query));
  mount(listPolicyRecipients, ({ caller, query }) => service.recipients(caller, query));
  mount(explainAssetPolicies, ({ caller, params }) => service.explain(caller, params.id));
  mount(endOwnRules, ({ caller, params, body }) => service.endOwnRules(caller, params.id, body.reason));
  mount(getPolicy, ({ caller, params }) => service.get(caller, params.id));
  mount(getPushKey, ({ caller, params }) => service.pushKey(caller, params.id));
  mount(createPolicy, ({ caller, body }) => service.create(caller, body));
  mount(editPolicy, ({ caller, params, body }) => service.edit(caller, params.id, body.version, body.policy));
  mount(deletePolicy, ({ caller, params, body }) => service.remove(caller, params.id, body.reason));
  mount(copyPolicy, ({ caller, params, body }) => service.copy(caller, params.id, body));
  mount(countPolicyReach, ({ caller, params, query: { targetId, kind, assetKind } }) =>
    service.reach(caller, params.id, { kind, id: targetId, assetKind: assetKind ?? null }),
  );
  mount(listAssignments, ({ caller, params }) => service.assignments(caller, params.id));
  mount(assignPolicy, ({ caller, params, body }) => service.assign(caller, params.id, body));
  mount(unassignPolicy, ({ caller, params }) => service.unassign(caller, params.id, params.assignmentId));
}
