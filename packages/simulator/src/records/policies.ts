import {
  assignPolicy,
  createPolicy,
  listPolicies,
  type PolicyInput,
} from '@isotherm/contracts/alarm-policies';
import { TEMPLATES } from '@isotherm/domain/alarms/policy-templates';
import type { Recording } from './recording.ts';

const POLICIES = [
  {
    organization: 'DEMO-HOSPITAL',
    name: 'Vaccine refrigerators 2 to 8 °C',
    template: 'vaccine-refrigerator',
    description: 'All vaccine refrigerators of the hospital, also those that are added later',
    assetKind: 'refrigerator',
  },
  {
    organization: 'DEMO-WAREHOUSE',
    name: 'Cold stores by GSP',
    template: 'gsp-cold-store',
    description: 'Temperature and humidity',
    assetKind: 'cold-store',
  },
  {
    organization: 'DEMO',
    name: 'Devices offline',
    template: 'offline',
    description: '',
    assetKind: null,
  },
] as const;

/**
 * Creates the alarm policies of the demo, assigned to whole organisations. The demo's devices were
 * registered with rules of their own, which override the policies. So the policies apply only to devices
 * that are added later.
 */
export async function writePolicies({ client, organization }: Recording): Promise<void> {
  const { total } = await client.call(listPolicies, { query: { pageSize: '1' } });
  if (total > 0) return;
  for (const { organization: code, template, assetKind, ...fields } of POLICIES) {
    const { conditions, steps, limitIsOutside } = TEMPLATES[template];
    const definition = {
      conditions,
      steps,
      limitIsOutside,
      // For alarms about goods, an auditor wants to know what was done, so the acknowledgement must say it.
      ...(assetKind ? { acknowledgement: { required: ['reason', 'correctiveAction'], fromLevel: 2 } } : {}),
    } as PolicyInput['definition'];
    const organizationId = organization(code);
    const { id } = await client.call(createPolicy, { body: { ...fields, organizationId, definition } });
    await client.call(assignPolicy, {
      path: `/alarm/policy/${id}/assignment`,
      body: { kind: 'organization', id: organizationId, assetKind },
    });
  }
}
