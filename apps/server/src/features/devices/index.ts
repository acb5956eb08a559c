export {
  attributeTexts,
  createDeviceAttributes,
  type DeviceAttributes,
  firmwareAttributes,
  isFirmwareAttribute,
} from './attributes/device-attributes.ts';
export { mountCalibrations } from './calibration/calibrations.routes.ts';
export { createCalibrationsService } from './calibration/calibrations.service.ts';
export { mountCommands } from './commands/commands.routes.ts';
export { createCommandsService } from './commands/commands.service.ts';
export { createDownlink, type Downlink, type OutgoingCommand } from './commands/downlink.ts';
export { mountConnection } from './connection/connection.routes.ts';
export { type Contacts, createContacts, type Sender } from './contacts.ts';
export {
  createDeviceDirectory,
  type DeviceDirectory,
  type KnownBinding,
  type KnownDevice,
} from './device-directory.ts';
export { mountDevices } from './devices.routes.ts';
export { createDevicesService, type OnChannelsCreated, type RuleInput } from './devices.service.ts';
export { createDeviceFirmware, type DeviceFirmware, type FirmwareFile } from './firmware/device-firmware.ts';
export { mountFirmware } from './firmware/firmware.routes.ts';
export { createRolloutWatch } from './firmware/rollout-watch.ts';
export { mountMappings } from './mappings/mappings.routes.ts';
export { createMappingsService } from './mappings/mappings.service.ts';
export { MAX_UNMAPPED_NAMES } from './mappings/unmapped-values.repo.ts';
export { createUnmappedValues, type UnmappedValuesStore } from './mappings/unmapped-values.ts';
export { createPacketCounters, type PacketCounters } from './packet-counters.ts';
export { createPresence, type Presence } from './presence.ts';
export { createRegistry } from './registry/create-registry.ts';
export type { OnChannelsRetired, OnDevicesRestored } from './registry/device-batches.ts';
export { mountRegistry } from './registry/registry.routes.ts';
export { mountRenewal } from './renewal/renewal.routes.ts';
export { createRenewalPolicy } from './renewal/renewal-policy.ts';
export { mountStats } from './stats/stats.routes.ts';
export { createStatsService } from './stats/stats.service.ts';
