import { createWebcam, listWebcams } from '@isotherm/contracts/webcams';
import type { Recording } from './recording.ts';

const CAMERAS = [
  { name: 'Vaccine fridge 03, inside', code: 'FR-03', owner: 'DEMO-HOSPITAL', snapshotMinutes: null },
  { name: 'Blood bank cold room, shelves', code: 'CS-BB', owner: 'DEMO-HOSPITAL', snapshotMinutes: null },
  { name: 'Cold store A-1, door', code: 'CS-A1', owner: 'DEMO-WAREHOUSE', snapshotMinutes: 60 },
] as const;

/** Installs cameras that show the simulated inside of an asset, and take a snapshot when an alarm starts. */
export async function installCameras(
  { client, organization, asset }: Recording,
  camera: (assetCode: string) => string,
): Promise<void> {
  const known = await client.call(listWebcams, { query: { pageSize: '1' } });
  if (known.total > 0) return;
  const made = CAMERAS.map(({ name, code, owner, snapshotMinutes }) => ({
    name,
    organizationId: organization(owner),
    kind: 'mjpeg' as const,
    address: camera(code),
    accountId: null,
    assetId: asset(code),
    snapshotMinutes,
    snapshotAtAlarm: true,
  }));
  await Promise.all(made.map((body) => client.call(createWebcam, { body })));
}
