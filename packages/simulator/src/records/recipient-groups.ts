import {
  createRecipientGroup,
  listGroupCandidates,
  listRecipientGroups,
} from '@isotherm/contracts/recipient-groups';
import type { Recording } from './recording.ts';

const GROUPS = [
  {
    organization: 'DEMO-HOSPITAL',
    name: 'Pharmacy team',
    members: ['Duty pharmacist', 'Immunisation clinic'],
    description: '',
  },
  {
    organization: 'DEMO',
    name: 'Quality and operations',
    members: ['Regional quality office', 'Warehouse control room', 'Fleet dispatch'],
    description: 'Notified from level 3 on',
  },
] as const;

/** Creates groups of the receivers of alarms. */
export async function registerRecipientGroups({ client, organization }: Recording): Promise<void> {
  const { total } = await client.call(listRecipientGroups, { query: { pageSize: '1' } });
  if (total > 0) return;
  for (const { organization: code, members, ...fields } of GROUPS) {
    const found = await Promise.all(
      members.map((search) => client.call(listGroupCandidates, { query: { search } })),
    );
    await client.call(createRecipientGroup, {
      body: {
        ...fields,
        organizationId: organization(code),
        members: found.flatMap(([person]) => (person ? [{ type: person.type, id: person.id }] : [])),
      },
    });
  }
}
