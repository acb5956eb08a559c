export { mountAssets } from './assets.routes.ts';
export { type AssetsService, createAssetsService, type ScopedCard } from './assets.service.ts';
export { mountMaintenance } from './maintenance/maintenance.routes.ts';
export { createMaintenanceService } from './maintenance/maintenance.service.ts';
export { ensureAssets } from './registry/registry.repo.ts';
export { mountAssetRegistry } from './registry/registry.routes.ts';
export { createRegistryService } from './registry/registry.service.ts';
