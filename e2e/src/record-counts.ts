import { listPolicies } from '@isotherm/contracts/alarm-policies';
import { listAssetFiles } from '@isotherm/contracts/asset-files';
import { listAssetGroups } from '@isotherm/contracts/asset-groups';
import { listNfcTags } from '@isotherm/contracts/asset-nfc';
import { listStatusChanges } from '@isotherm/contracts/asset-status';
import { listAuthorizations } from '@isotherm/contracts/authorizations';
import { countCalibrations } from '@isotherm/contracts/calibrations';
import { listCommands } from '@isotherm/contracts/commands';
import { listFirmware, listRollouts } from '@isotherm/contracts/firmware';
import { listFloorPlans } from '@isotherm/contracts/floor-plans';
import { listGeofences } from '@isotherm/contracts/geofences';
import { listMaintenance } from '@isotherm/contracts/maintenance';
import { listPayloadMappings } from '@isotherm/contracts/payload-mappings';
import { listProductProfiles } from '@isotherm/contracts/product-profiles';
import { listReminders } from '@isotherm/contracts/reminders';
import { listSuppressions } from '@isotherm/contracts/suppressions';
import { listUsers } from '@isotherm/contracts/users';
import { listValidationStudies } from '@isotherm/contracts/validation-studies';
import { listWaybills } from '@isotherm/contracts/waybills';
import { listWebcams } from '@isotherm/contracts/webcams';
import type { ApiClient } from '@isotherm/simulator/client/api-client';

/** Returns the number of demo records of each kind, as the demo manager sees them. */
export async function recordCounts(manager: ApiClient) {
  const [
    files,
    tags,
    keys,
    plans,
    maintenance,
    reminders,
    users,
    commands,
    rollouts,
    mappings,
    statuses,
    policies,
    products,
    waybills,
    geofences,
  ] = await Promise.all(
    [
      listAssetFiles,
      listNfcTags,
      listAuthorizations,
      listFloorPlans,
      listMaintenance,
      listReminders,
      listUsers,
      listCommands,
      listRollouts,
      listPayloadMappings,
      listStatusChanges,
      listPolicies,
      listProductProfiles,
      listWaybills,
      listGeofences,
    ].map(async (route) => (await manager.call(route)).total),
  );
  const studies = await manager.call(listValidationStudies);
  const { items: shipments } = await manager.call(listWaybills, { query: { pageSize: '100' } });
  return {
    files,
    tags,
    keys,
    plans,
    maintenance,
    reminders,
    users,
    commands,
    rollouts,
    mappings,
    statuses,
    policies,
    products,
    waybills,
    waybillStates: [...new Set(shipments.map(({ state }) => state))].toSorted(),
    automaticWaybills: shipments.filter(
      ({ departureFenceId, arrivalFenceIds }) => departureFenceId !== null && arrivalFenceIds.length > 0,
    ).length,
    geofences,
    suppressions: (await manager.call(listSuppressions)).total,
    cameras: (await manager.call(listWebcams)).total,
    groups: (await manager.call(listAssetGroups)).length,
    firmware: (await manager.call(listFirmware)).length,
    studies: studies.items.map(({ state }) => state).toSorted(),
    calibrations: await manager.call(countCalibrations),
  };
}
