import { createAlertor, listAlertors } from '@isotherm/contracts/alertors';
import type { Recording } from './recording.ts';

/** The siren of the demo, which the simulator connects (live/alertor.ts). */
export const DEMO_ALERTOR = {
  name: 'Cold store siren',
  serial: 'AL-3101',
  place: 'Gate of cold store A',
} as const;

/** Registers the siren of the warehouse, whose policies name it. */
export async function registerAlertors({ client, organization, keyOf }: Recording): Promise<void> {
  const { total } = await client.call(listAlertors, { query: { pageSize: '1' } });
  if (total > 0) return;
  await client.call(createAlertor, {
    body: {
      ...DEMO_ALERTOR,
      organizationId: organization('DEMO-WAREHOUSE'),
      kind: 'a-series',
      key: keyOf(DEMO_ALERTOR.serial),
    },
  });
}
