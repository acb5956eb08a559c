export { createDeviceDirectory, type DeviceDirectory, type KnownDevice } from './device-directory.ts';
export { mountDevices } from './devices.routes.ts';
export { createDevicesService, type OnChannelsCreated, type RuleInput } from './devices.service.ts';
export { mountMappings } from './mappings/mappings.routes.ts';
export { createMappingsService } from './mappings/mappings.service.ts';
export { mountRenewal } from './renewal.routes.ts';
