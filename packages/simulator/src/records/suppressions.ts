import { createSuppression, listSuppressions } from '@isotherm/contracts/suppressions';
import type { Recording } from './recording.ts';

const HOUR_MS = 3_600_000;

/** Declares maintenance of an asset that is active, and maintenance of an organisation that is planned. */
export async function declareSuppressions({
  client,
  asset,
  organization,
  startMs,
}: Recording): Promise<void> {
  if ((await client.call(listSuppressions, { query: { pageSize: '1' } })).total > 0) return;
  const inHours = (hours: number) => new Date(startMs + hours * HOUR_MS).toISOString();
  await client.call(createSuppression, {
    body: {
      targetKind: 'asset',
      targetId: asset('FR-04'),
      kind: 'maintenance',
      from: inHours(0),
      until: inHours(3),
      reason: 'Door gasket is being replaced',
    },
  });
  await client.call(createSuppression, {
    body: {
      targetKind: 'organization',
      targetId: organization('DEMO-HOSPITAL'),
      kind: 'maintenance',
      from: inHours(20),
      until: inHours(24),
      reason: 'Test of the emergency generator',
      highestLevel: 2,
    },
  });
}
