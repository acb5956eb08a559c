import type { CallTools, Step } from './call-steps.ts';

/** Returns the calls on alarm tests and their schedules, each with its own policy. */
export function alarmTestSteps(
  { one, unique, demo, why }: CallTools,
  asset: number,
): Record<string, () => Promise<Step> | Step> {
  const definition = {
    conditions: [{ quantity: 'contact', low: null, high: null, recoveryMargin: 0, recoverAfterMs: 0 }],
    steps: [
      {
        level: 1,
        triggerAfterMs: 3_600_000,
        limits: [],
        channels: ['url-push'],
        url: 'https://push.example/',
      },
    ],
    limitIsOutside: false,
  };
  const policy = () =>
    one(
      `insert into alarm_policy (organization_id, name, definition, changed_by) values ($1, $2, $3, 'test') returning id`,
      [demo, unique(), JSON.stringify(definition)],
    );
  const test = async (name = unique()) =>
    one(
      `insert into alarm_test (organization_id, policy_id, policy_name, level, asset_name, schedule_name, started_by,
                               started_at)
       values ($1, $2, $3, 1, '', '', 'test', now()) returning id`,
      [demo, await policy(), name],
    );
  const message = async (testId: number) =>
    one(
      `insert into alarm_test_message (test_id, channel, recipient_type, recipient_id, name, organization_path, state, due_at)
       values ($1, 'email', 'receivers', 1, 'Nurse', '/', 'sent', now()) returning id`,
      [testId],
    );
  const form = async (name = unique()) => ({
    organizationId: demo,
    name,
    policyId: await policy(),
    level: 1,
    every: 1,
    interval: 'months',
    startsOn: '2026-01-01',
    at: '10:00',
    timeZone: 'UTC',
  });
  const schedule = async (name = unique()) =>
    one(
      `insert into alarm_test_schedule (organization_id, name, policy_id, level, every, interval_unit, starts_on, starts_at,
                                        time_zone, enabled, due_at, changed_by, changed_at)
       values ($1, $2, $3, 1, 1, 'months', '2026-01-01', '10:00', 'UTC', false, null, 'test', now()) returning id`,
      [demo, name, await policy()],
    );
  const outside = 'alarm_test.not_found';
  const noSchedule = 'test_schedule.not_found';
  const named = async (make: (name: string) => Promise<number>): Promise<Step> => {
    const name = unique();
    await make(name);
    return { query: { search: name }, holds: (data) => JSON.stringify(data).includes(name) };
  };
  return {
    runAlarmTest: async () => ({ json: { policyId: await policy(), level: 1 }, outside: 'policy.not_found' }),
    runAssetAlarmTest: async () => {
      const policyId = await policy();
      await one(
        `insert into alarm_policy_rule (policy_id, since_version, quantity, predicate, level, recovery_margin,
                                        trigger_after_ms, recover_after_ms, limit_is_outside)
         values ($1, 1, 'contact', 'silence', 1, 0, 3600000, 0, false) returning id`,
        [policyId],
      );
      await one(
        `insert into alarm_assignment (policy_id, target_kind, target_id, valid_from) values ($1, 'asset', $2, now()) returning id`,
        [policyId, asset],
      );
      return { params: { id: asset }, outside: 'asset.not_found' };
    },
    // The message of this test went to somebody else.
    confirmAlarmTest: async () => ({
      params: { id: await test() },
      status: 'alarm_test.not_recipient',
      outside,
    }),
    recordTestConfirmation: async () => {
      const id = await test();
      return { params: { id, messageId: await message(id) }, json: { name: 'Nurse' }, outside };
    },
    getAlarmTest: async () => ({ params: { id: await test() }, outside }),
    listAlarmTests: () => named(test),
    exportAlarmTests: async () => {
      const name = unique();
      await test(name);
      return { query: { search: name }, holds: (data) => (data as { rows: number }).rows === 1 };
    },
    createTestSchedule: async () => ({ json: await form(), outside: 'organization.not_found' }),
    editTestSchedule: async () => ({
      params: { id: await schedule() },
      json: await form(),
      outside: noSchedule,
    }),
    deleteTestSchedule: async () => ({ params: { id: await schedule() }, json: why, outside: noSchedule }),
    getTestSchedule: async () => ({ params: { id: await schedule() }, outside: noSchedule }),
    listTestSchedules: () => named(schedule),
  };
}
