import type { AssetCard } from '@isotherm/contracts/assets';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { Audit } from '../../platform/audit/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Mount } from '../../platform/http/mount.ts';
import type { Images } from '../../platform/images/images.ts';
import type { Imports } from '../../platform/imports/imports.ts';
import type { Job } from '../../platform/jobs/jobs.ts';
import type { MeasuringPlace, ScopedCard } from './assets.service.ts';
import { mountAssetFiles } from './files/files.routes.ts';
import { createFilesService } from './files/files.service.ts';
import { mountFloorPlans } from './floor-plans/floor-plans.routes.ts';
import { createFloorPlansService } from './floor-plans/floor-plans.service.ts';
import { mountAssetGroups } from './groups/groups.routes.ts';
import { createGroupsService } from './groups/groups.service.ts';
import { mountMaintenance } from './maintenance/maintenance.routes.ts';
import { createMaintenanceService } from './maintenance/maintenance.service.ts';
import { mountNfc } from './nfc/nfc.routes.ts';
import { createNfcService } from './nfc/nfc.service.ts';
import { createAssetSheets } from './registry/asset-sheets.ts';
import { mountAssetRegistry } from './registry/registry.routes.ts';
import { createRegistryService } from './registry/registry.service.ts';
import { mountAssetStatus } from './status/status.routes.ts';
import { createStatusService } from './status/status.service.ts';

export interface AssetRegistry {
  mount(mount: Mount): void;
  jobs: readonly Job[];
}

/**
 * Creates the asset registry with everything that belongs to an asset: status, maintenance, files, floor
 * plans, groups, tags.
 */
export function createAssetRegistry(parts: {
  pool: pg.Pool;
  audit: Pick<Audit, 'record' | 'recordAlone'>;
  translate: Translate;
  clock: Clock;
  running: Pick<Imports, 'run'>;
  images: Pick<Images, 'encode'>;
  /** Current state of assets, as on the monitor page. */
  cardsOf: (ids: readonly number[]) => Promise<ScopedCard[]>;
  /** Returns the current state of the assets and channels on a floor plan. */
  cardsAt: (places: readonly MeasuringPlace[]) => Promise<(AssetCard | null)[]>;
  /** Called when a change of status affects which alarm rules apply. */
  onStatusChange: () => void;
}): AssetRegistry {
  const { pool, audit, clock, translate, running } = parts;
  const registry = createRegistryService(pool, audit, clock, parts.cardsOf);
  const sheets = createAssetSheets({ pool, audit, clock, translate, registry, running });
  const status = createStatusService(pool, audit, clock, parts.onStatusChange);
  const maintenance = createMaintenanceService(pool, audit, clock);
  const files = createFilesService(pool, audit, clock);
  const floorPlans = createFloorPlansService(pool, audit, clock, parts.cardsAt, parts.images);
  const groups = createGroupsService(pool, audit);
  const nfc = createNfcService(pool, audit, clock);
  return {
    mount(mount) {
      mountAssetRegistry(mount, registry, sheets);
      mountAssetStatus(mount, status);
      mountMaintenance(mount, maintenance);
      mountAssetFiles(mount, files);
      mountFloorPlans(mount, floorPlans);
      mountAssetGroups(mount, groups);
      mountNfc(mount, nfc);
    },
    jobs: status.jobs,
  };
}
