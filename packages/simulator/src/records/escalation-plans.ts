import { listPolicyRecipients } from '@isotherm/contracts/alarm-policies';
import { createEscalationPlan, listEscalationPlans } from '@isotherm/contracts/escalation-plans';
import type { Recording } from './recording.ts';

/** Creates an escalation plan that notifies the quality office of alarms that nobody acknowledges. */
export async function registerEscalationPlans({ client, organization }: Recording): Promise<void> {
  const { total } = await client.call(listEscalationPlans, { query: { pageSize: '1' } });
  if (total > 0) return;
  const [receivers, groups] = await Promise.all([
    client.call(listPolicyRecipients, { query: { type: 'receivers', search: 'Regional quality office' } }),
    client.call(listPolicyRecipients, { query: { type: 'groups', search: 'Quality and operations' } }),
  ]);
  const [office] = receivers;
  const [team] = groups;
  if (!office || !team) return;
  await client.call(createEscalationPlan, {
    body: {
      organizationId: organization('DEMO'),
      name: 'Unacknowledged severe alarms',
      lowestLevel: 3,
      steps: [
        { afterMinutes: 30, recipientType: 'receivers', recipients: [office.id], channels: ['email'] },
        { afterMinutes: 120, recipientType: 'groups', recipients: [team.id], channels: ['email'] },
      ],
    },
  });
}
