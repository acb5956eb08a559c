import {
  type AssignmentTarget,
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
  type PolicyInput,
  unassignPolicy,
} from '@isotherm/contracts/alarm-policies';
import { listAssetGroups } from '@isotherm/contracts/asset-groups';
import { getAsset } from '@isotherm/contracts/assets';
import { listDevices } from '@isotherm/contracts/device-registry';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import { useRefreshing } from '../../../shared/api/crud-changes.ts';

export const POLICIES_KEY = ['alarms', 'policies'] as const;
/** Query keys to reload after a change of policies, because the limits of assets change with them. */
const KEYS = [POLICIES_KEY, ['assets'], ['devices', 'registry']];

export const policyQuery = (id: number) =>
  queryOptions({
    queryKey: [...POLICIES_KEY, 'one', id],
    queryFn: ({ signal }) => call(getPolicy, { params: { id }, signal, quiet: true }),
  });

export const pushKeyQuery = (id: number) =>
  queryOptions({
    queryKey: [...POLICIES_KEY, 'push-key', id],
    queryFn: ({ signal }) => call(getPushKey, { params: { id }, signal, quiet: true }),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const assignmentsQuery = (id: number) =>
  queryOptions({
    queryKey: [...POLICIES_KEY, 'assignments', id],
    queryFn: ({ signal }) => call(listAssignments, { params: { id }, signal, quiet: true }),
  });

/** What an assignment would reach. */
export const reachQuery = (policyId: number, target: AssignmentTarget) =>
  queryOptions({
    queryKey: [...POLICIES_KEY, 'reach', policyId, target],
    queryFn: ({ signal }) =>
      call(countPolicyReach, {
        params: { id: policyId },
        query: {
          kind: target.kind,
          targetId: target.id,
          ...(target.assetKind ? { assetKind: target.assetKind } : {}),
        },
        signal,
        quiet: true,
      }),
  });

export const assetPoliciesQuery = (assetId: number) =>
  queryOptions({
    queryKey: [...POLICIES_KEY, 'asset', assetId],
    queryFn: ({ signal }) => call(explainAssetPolicies, { params: { id: assetId }, signal, quiet: true }),
  });

/** The channels of an asset, as targets of an assignment. */
export const targetChannelsQuery = (assetId: number) =>
  queryOptions({
    queryKey: [...POLICIES_KEY, 'channels', assetId],
    queryFn: async ({ signal }) => {
      const { devices } = await call(getAsset, { params: { id: assetId }, signal, quiet: true });
      return devices.flatMap(({ number, channels }) =>
        channels.map((channel) => ({ ...channel, deviceNumber: number })),
      );
    },
  });

export const targetGroupsQuery = queryOptions({
  queryKey: [...POLICIES_KEY, 'groups'],
  queryFn: ({ signal }) => call(listAssetGroups, { signal, quiet: true }),
  staleTime: 60_000,
});

export const policySource = {
  key: [...POLICIES_KEY, 'choice'],
  search: async (search: string) => {
    const { items } = await call(listPolicies, { query: { search, pageSize: 20 }, quiet: true });
    return items.map(({ id, name, organizationName }) => ({
      value: id,
      label: name,
      hint: organizationName,
    }));
  },
};

export const deviceSource = {
  key: [...POLICIES_KEY, 'devices'],
  search: async (search: string) => {
    const { items } = await call(listDevices, { query: { search, pageSize: 20 }, quiet: true });
    return items.map(({ id, number, name }) => ({ value: id, label: number, hint: name }));
  },
};

/** Changes of policies. The component that uses them shows failures. */
export function usePolicyChanges() {
  const after = useRefreshing(KEYS);
  return {
    create: (body: PolicyInput) => after(call(createPolicy, { body, quiet: true })),
    edit: (id: number, version: number, policy: Omit<PolicyInput, 'organizationId'>) =>
      after(call(editPolicy, { params: { id }, body: { version, policy }, quiet: true })),
    remove: (id: number, reason: string) =>
      after(call(deletePolicy, { params: { id }, body: { reason }, quiet: true })),
    copy: (id: number, body: { organizationId: number; name: string }) =>
      after(call(copyPolicy, { params: { id }, body, quiet: true })),
    assign: (id: number, body: AssignmentTarget) =>
      after(call(assignPolicy, { params: { id }, body, quiet: true })),
    endOwnRules: (assetId: number, reason: string) =>
      after(call(endOwnRules, { params: { id: assetId }, body: { reason }, quiet: true })),
    unassign: (id: number, assignmentId: number) =>
      after(call(unassignPolicy, { params: { id, assignmentId }, quiet: true })),
  };
}
