import { changeAssetStatus, listStatusChanges } from '@isotherm/contracts/asset-status';
import type { AssetStatus } from '@isotherm/domain/assets/asset-status';
import type { Recording } from './recording.ts';

const CHANGES: readonly { code: string; to: AssetStatus; reason: string }[] = [
  { code: 'BX-121', to: 'alternate', reason: 'Spare box for the mobile teams.' },
  { code: 'FZ-05', to: 'alternate', reason: 'Kept cold for the contents of a freezer that fails.' },
  { code: 'FR-04', to: 'to-be-repaired', reason: 'Door gasket worn, found at the inspection.' },
];

/** Creates recent status changes of assets; all of them remain in service. */
export async function changeStatuses({ client, asset }: Recording): Promise<void> {
  const { total } = await client.call(listStatusChanges, { query: { pageSize: '1' } });
  if (total > 0) return;
  for (const { code, to, reason } of CHANGES)
    await client.call(changeAssetStatus, {
      path: `/asset/${asset(code)}/status`,
      body: { from: 'normal', to, reason },
    });
}
