import { DELETED_KEEP_DAYS } from '@isotherm/contracts/device-registry';
import type { Translate } from '@isotherm/i18n/translator';
import type { Audit } from '../../../platform/audit/audit.ts';
import type { Job } from '../../../platform/jobs/jobs.ts';
import { type BondImport, createBondImport } from './bond-import.ts';
import { createDeviceBatches, type DeviceBatches, type OnChannelsRetired } from './device-batches.ts';
import { createDeviceImport, type DeviceImport } from './device-import.ts';
import { createDeviceSheets, type DeviceSheets } from './device-sheets.ts';
import { removeDeleted } from './registry.repo.ts';
import { createRegistryService, type RegistryParts, type RegistryService } from './registry.service.ts';

const DAY_MS = 86_400_000;
const REMOVED_AT_ONCE = 1_000;

/** The register of devices: what they are, whose, and on what. */
export interface Registry {
  service: RegistryService;
  batches: DeviceBatches;
  sheets: DeviceSheets;
  imports: DeviceImport;
  bondImports: BondImport;
  jobs: readonly Job[];
}

export function createRegistry(
  parts: Omit<RegistryParts, 'audit'> & {
    audit: Audit;
    translate: Translate;
    onChannelsRetired: OnChannelsRetired;
  },
): Registry {
  const { pool, audit, clock, translate } = parts;
  const service = createRegistryService(parts);
  const batches = createDeviceBatches(parts);
  return {
    service,
    batches,
    imports: createDeviceImport(parts),
    bondImports: createBondImport(pool, batches, translate),
    sheets: createDeviceSheets(service, audit, translate),
    jobs: [
      {
        name: 'devices-remove-deleted',
        cron: '35 3 * * *',
        atStart: true,
        async run() {
          const now = clock.now();
          const before = new Date(now - DELETED_KEEP_DAYS * DAY_MS);
          while ((await removeDeleted(pool, before, new Date(now), REMOVED_AT_ONCE)) === REMOVED_AT_ONCE);
        },
      },
    ],
  };
}
