export { createDeviceDirectory, type DeviceDirectory, type KnownDevice } from './device-directory.ts';
export { mountDevices } from './devices.routes.ts';
export { createDevicesService, type OnChannelsCreated, type RuleInput } from './devices.service.ts';
export { createPacketCounters, type PacketCounters } from './packet-counters.ts';
export { mountRenewal } from './renewal.routes.ts';
