export { mountAssets } from './assets.routes.ts';
export { type AssetsService, createAssetsService, type ScopedCard } from './assets.service.ts';
export { ensureAssets } from './registry/registry.repo.ts';
export { mountAssetRegistry } from './registry/registry.routes.ts';
export { createRegistryService } from './registry/registry.service.ts';
