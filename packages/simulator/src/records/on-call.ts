import { addOnCallChange, createOnCall, listOnCall, listOnCallCandidates } from '@isotherm/contracts/on-call';
import type { Recording } from './recording.ts';

const ROTA = ['Duty pharmacist', 'Immunisation clinic'];

/** Creates an on-call schedule with leave in the second week, which is a gap of cover. */
export async function registerOnCall({ client, organization, day }: Recording): Promise<void> {
  if ((await client.call(listOnCall)).length > 0) return;
  const found = await Promise.all(
    ROTA.map((search) => client.call(listOnCallCandidates, { query: { search } })),
  );
  const people = found.flatMap(([person]) => (person ? [{ type: person.type, id: person.id }] : []));
  const [, second] = people;
  const { id } = await client.call(createOnCall, {
    body: {
      organizationId: organization('DEMO-HOSPITAL'),
      name: 'Cold chain duty',
      people,
      startsOn: day(0),
      handoverAt: '08:00',
      timeZone: 'Asia/Shanghai',
      turnDays: 3,
    },
  });
  if (!second) return;
  await client.call(addOnCallChange, {
    path: `/on-call/${id}/change`,
    body: {
      kind: 'leave',
      person: second,
      from: `${day(10)}T14:00:00.000Z`,
      until: `${day(11)}T00:00:00.000Z`,
    },
  });
}
