import type { CallTools, Step } from './call-steps.ts';

/** Returns the calls on escalation plans, each with its own plan. */
export function escalationPlanSteps({
  one,
  unique,
  demo,
  why,
}: CallTools): Record<string, () => Promise<Step> | Step> {
  const steps = async () => [
    {
      afterMinutes: 30,
      recipientType: 'receivers',
      recipients: [
        await one(
          `insert into alarm_receiver (organization_id, name, country_code, mobile, email, wechat, language, time_zone,
                                       description, changed_by, changed_at)
           values ($1, $2, '+86', '', 'duty@example.com', '', 'en', 'UTC', '', 'test', now()) returning id`,
          [demo, unique()],
        ),
      ],
      channels: ['email'],
      url: '',
    },
  ];
  const make = async (name = unique()) =>
    one(
      `insert into alarm_escalation_plan (organization_id, name, description, enabled, lowest_level, steps, changed_by,
                                          changed_at)
       values ($1, $2, '', true, 3, $3, 'test', now()) returning id`,
      [demo, name, JSON.stringify(await steps())],
    );
  const form = async () => ({ organizationId: demo, name: unique(), lowestLevel: 3, steps: await steps() });
  const outside = 'escalation_plan.not_found';
  return {
    createEscalationPlan: async () => ({ json: await form(), outside: 'organization.not_found' }),
    editEscalationPlan: async () => ({ params: { id: await make() }, json: await form(), outside }),
    deleteEscalationPlan: async () => ({ params: { id: await make() }, json: why, outside }),
    getEscalationPlan: async () => ({ params: { id: await make() }, outside }),
    getEscalationPushKey: async () => ({ params: { id: await make() }, outside }),
    listEscalationPlans: async () => {
      const name = unique();
      await make(name);
      return { query: { search: name }, holds: (data) => JSON.stringify(data).includes(name) };
    },
  };
}
