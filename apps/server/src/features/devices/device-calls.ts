import type { countCalibrations } from '@isotherm/contracts/calibrations';
import type { ResponseOf } from '@isotherm/contracts/route';
import type pg from 'pg';
import type { Audit } from '../../platform/audit/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Caller } from '../../platform/http/caller.ts';
import type { Mount } from '../../platform/http/mount.ts';
import type { Sealing } from '../../platform/sealing.ts';
import { mountCalibrations } from './calibration/calibrations.routes.ts';
import { createCalibrationsService } from './calibration/calibrations.service.ts';
import { mountCommands } from './commands/commands.routes.ts';
import { createCommandsService } from './commands/commands.service.ts';
import { mountConnection } from './connection/connection.routes.ts';
import { mountDevices } from './devices.routes.ts';
import { createDevicesService, type OnAssetsWanted, type OnChannelsCreated } from './devices.service.ts';
import { mountFirmware } from './firmware/firmware.routes.ts';
import { mountMappings } from './mappings/mappings.routes.ts';
import { createMappingsService } from './mappings/mappings.service.ts';
import type { Registry } from './registry/create-registry.ts';
import { mountRegistry } from './registry/registry.routes.ts';
import { mountRenewal } from './renewal/renewal.routes.ts';
import type { RenewalPolicyService } from './renewal/renewal-policy.ts';
import { mountStats } from './stats/stats.routes.ts';
import { createStatsService, type DeviceSummary } from './stats/stats.service.ts';

export interface DevicesNeeds {
  pool: pg.Pool;
  audit: Audit;
  sealing: Sealing;
  clock: Clock;
  registry: Registry;
  renewal: RenewalPolicyService;
  /** Returns where devices of this installation connect to. */
  deviceAddress: Parameters<typeof mountConnection>[2];
  onAssetsWanted: OnAssetsWanted;
  onChannelsCreated: OnChannelsCreated;
  /** Called when value mappings have changed, so that every process reads its devices again. */
  forgetDevices: () => void;
  /** Called with devices that have a new command. */
  wake: (deviceIds: readonly number[]) => void;
  /** Called when a roll-out of firmware may have its next step. */
  nudgeRollouts: () => void;
}

/** Calls of the console about devices, and the counts that other features show. */
export interface DeviceCalls {
  mount(mount: Mount): void;
  summary(caller: Caller, days: number): Promise<DeviceSummary>;
  calibrationCounts(caller: Caller): Promise<ResponseOf<typeof countCalibrations>>;
}

export function createDeviceCalls(needs: DevicesNeeds): DeviceCalls {
  const { pool, audit, clock, renewal } = needs;
  const stats = createStatsService(pool, renewal, clock);
  const calibrations = createCalibrationsService(pool, audit, clock);
  return {
    summary: stats.summary,
    calibrationCounts: calibrations.counts,
    mount(mount) {
      mountRegistry(mount, needs.registry);
      mountConnection(mount, pool, needs.deviceAddress);
      mountDevices(
        mount,
        createDevicesService(pool, needs.onAssetsWanted, needs.onChannelsCreated, audit, needs.sealing),
      );
      mountMappings(mount, createMappingsService(pool, audit, clock, needs.forgetDevices));
      mountCalibrations(mount, calibrations);
      mountCommands(mount, createCommandsService(pool, audit, clock, needs.wake));
      mountFirmware(mount, pool, audit, clock, needs.nudgeRollouts);
      mountRenewal(mount, pool, renewal);
      mountStats(mount, stats);
    },
  };
}
