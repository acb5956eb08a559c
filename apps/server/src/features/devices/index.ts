export {
  attributeTexts,
  createDeviceAttributes,
  type DeviceAttributes,
  firmwareAttributes,
  isFirmwareAttribute,
} from './attributes/device-attributes.ts';
export { createDownlink, type Downlink, type OutgoingCommand } from './commands/downlink.ts';
export { type Contacts, createContacts, type Sender } from './contacts.ts';
export { createDeviceCalls, type DeviceCalls } from './device-calls.ts';
export {
  createDeviceDirectory,
  type DeviceDirectory,
  type KnownBinding,
  type KnownDevice,
} from './device-directory.ts';
export type { OnChannelsCreated, RuleInput } from './devices.service.ts';
export { createDeviceFirmware, type DeviceFirmware, type FirmwareFile } from './firmware/device-firmware.ts';
export { createRolloutWatch } from './firmware/rollout-watch.ts';
export { MAX_UNMAPPED_NAMES } from './mappings/unmapped-values.repo.ts';
export { createUnmappedValues, type UnmappedValuesStore } from './mappings/unmapped-values.ts';
export { createPacketCounters, type PacketCounters } from './packet-counters.ts';
export { createPresence, type Presence } from './presence.ts';
export { createRegistry } from './registry/create-registry.ts';
export type { OnChannelsRetired, OnDevicesRestored } from './registry/device-batches.ts';
export type { DeviceMoves } from './registry/device-moves.ts';
export { lastDayOf, renewedUntil } from './registry/device-view.ts';
export { type Extension, extendSubscriptions } from './renewal/extensions.repo.ts';
export { createRenewableDevices, type RenewableDevices } from './renewal/renewable-devices.ts';
export { createRenewalPolicy } from './renewal/renewal-policy.ts';
