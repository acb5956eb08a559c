import type { CallTools, Step } from './call-steps.ts';

/** Returns the calls on alarm policies, each with its own policy. */
export function policySteps(
  { one, unique, demo, why }: CallTools,
  asset: number,
  channel: number,
): Record<string, () => Promise<Step> | Step> {
  const definition = {
    conditions: [{ quantity: 'temperature', low: 2, high: 8, recoveryMargin: 0, recoverAfterMs: 0 }],
    steps: [{ level: 1, triggerAfterMs: 0, limits: [] }],
    limitIsOutside: false,
  };
  const make = (name = unique()) =>
    one(
      `insert into alarm_policy (organization_id, name, definition, changed_by) values ($1, $2, $3, 'test') returning id`,
      [demo, name, JSON.stringify(definition)],
    );
  const assigned = async () => {
    const id = await make();
    const assignmentId = await one(
      `insert into alarm_assignment (policy_id, target_kind, target_id, valid_from) values ($1, 'asset', $2, now()) returning id`,
      [id, asset],
    );
    return { id, assignmentId };
  };
  const outside = 'policy.not_found';
  const onOne = (json?: () => object) => async (): Promise<Step> => ({
    params: { id: await make() },
    ...(json ? { json: json() } : {}),
    outside,
  });
  return {
    listPolicies: async () => {
      const name = unique();
      await make(name);
      return { query: { search: name }, holds: (data) => JSON.stringify(data).includes(name) };
    },
    listPolicyFences: async () => {
      const name = unique();
      const id = await one(
        `insert into geofence (organization_id, name, changed_by, changed_at) values ($1, $2, 'test', now()) returning id`,
        [demo, name],
      );
      await one(
        `insert into geofence_version (geofence_id, valid_from, shape, margin_m, shared)
         values ($1, now(), '{"kind": "circle", "centre": {"latitude": 31.2, "longitude": 121.4}, "radiusM": 500}', 50, true) returning id`,
        [id],
      );
      return { query: { search: name }, holds: (data) => JSON.stringify(data).includes(name) };
    },
    listPolicyRecipients: async () => {
      const name = unique();
      await one(
        `insert into alarm_receiver (organization_id, name, country_code, mobile, email, wechat, language, time_zone,
                                     description, changed_by, changed_at)
         values ($1, $2, '+86', '', 'a@example.com', '', 'en', 'UTC', '', 'test', now()) returning id`,
        [demo, name],
      );
      return {
        query: { type: 'receivers', search: name },
        holds: (data) => JSON.stringify(data).includes(name),
      };
    },
    listBackTestChannels: () => ({
      query: { quantities: 'temperature' },
      holds: (data) => JSON.stringify(data).includes(`"id":${channel},`),
    }),
    backTestPolicy: () => ({ json: { definition, channelIds: [channel] }, outside: 'channel.not_found' }),
    getPolicy: onOne(),
    getPushKey: onOne(),
    countPolicyReach: async () => ({
      params: { id: await make() },
      query: { kind: 'asset', targetId: String(asset) },
      outside,
    }),
    listAssignments: onOne(),
    deletePolicy: onOne(() => why),
    editPolicy: onOne(() => ({ version: 1, policy: { name: unique(), definition } })),
    copyPolicy: onOne(() => ({ organizationId: demo, name: unique() })),
    assignPolicy: onOne(() => ({ kind: 'asset', id: asset })),
    unassignPolicy: async () => ({ params: await assigned(), outside }),
    endOwnRules: () => ({ params: { id: asset }, json: why, outside: 'asset.not_found' }),
    explainAssetPolicies: () => ({ params: { id: asset }, outside: 'asset.not_found' }),
    listAlertSettings: () => ({
      query: { assetId: String(asset) },
      holds: (data) => JSON.stringify(data).includes(`"channelId":${channel},`),
    }),
    assignPolicyToMany: async () => ({
      json: { policyId: await make(), targets: [{ kind: 'asset', id: asset }] },
      outside,
    }),
    endOwnRulesOfMany: () => ({
      json: { assetIds: [asset], ...why },
      holds: (data) => (data as { success: number }).success === 1,
    }),
    copyAlertSettings: async () => {
      await one(
        `insert into alarm_rule (channel_id, kind, level, limit_value, recovery_margin, trigger_after_ms, recover_after_ms)
         values ($1, 'high', 1, 1000, 0, 0, 0) returning id`,
        [channel],
      );
      return { params: { id: asset }, json: { assetIds: [asset], ...why }, outside: 'asset.not_found' };
    },
    createPolicy: () => ({
      json: { organizationId: demo, name: unique(), definition },
      outside: 'organization.not_found',
    }),
  };
}
