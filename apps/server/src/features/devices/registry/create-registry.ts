import type { Translate } from '@isotherm/i18n/translator';
import type { Audit } from '../../../platform/audit/audit.ts';
import type { Imports } from '../../../platform/imports/imports.ts';
import type { Job } from '../../../platform/jobs/jobs.ts';
import { type BondImport, createBondImport } from './bond-import.ts';
import {
  createDeviceBatches,
  type DeviceBatches,
  type HoldChannels,
  type OnChannelsRetired,
  type OnDevicesRestored,
} from './device-batches.ts';
import { createDeviceImport, type DeviceImport } from './device-import.ts';
import { createDeviceMoves, type DeviceMoves } from './device-moves.ts';
import { createDeviceSheets, type DeviceSheets } from './device-sheets.ts';
import { createRegistryJobs } from './registry.job.ts';
import { createRegistryService, type RegistryParts, type RegistryService } from './registry.service.ts';
import { listReleases } from './releases.repo.ts';
import { createReplacement, type Replacement } from './replacement.service.ts';

/** The device registry with its services. */
export interface Registry {
  service: RegistryService;
  batches: DeviceBatches;
  sheets: DeviceSheets;
  imports: DeviceImport;
  bondImports: BondImport;
  replacement: Replacement;
  /** What happens to the data of devices that have been expired for long, by id. */
  releasesOf(ids: readonly number[]): ReturnType<typeof listReleases>;
  moves: DeviceMoves;
  jobs: readonly Job[];
}

export function createRegistry(
  parts: Omit<RegistryParts, 'audit'> & {
    audit: Audit;
    translate: Translate;
    running: Pick<Imports, 'run'>;
    onChannelsRetired: OnChannelsRetired;
    onDevicesRestored: OnDevicesRestored;
    holdChannels: HoldChannels;
  },
): Registry {
  const { pool, audit, clock, translate, running } = parts;
  const service = createRegistryService(parts);
  const batches = createDeviceBatches(parts);
  return {
    service,
    batches,
    imports: createDeviceImport(parts),
    replacement: createReplacement(parts),
    moves: createDeviceMoves(parts),
    bondImports: createBondImport({ pool, batches, translate, running }),
    sheets: createDeviceSheets(service, audit, translate),
    releasesOf: (ids) => listReleases(pool, ids),
    jobs: createRegistryJobs(pool, clock),
  };
}
