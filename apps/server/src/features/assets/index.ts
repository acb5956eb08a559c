export { mountAssets } from './assets.routes.ts';
export { type AssetsService, createAssetsService, type ScopedCard } from './assets.service.ts';
export { createAssetRegistry } from './create-asset-registry.ts';
export { ensureAssets } from './registry/registry.repo.ts';
export { createWebcams } from './webcams/create-webcams.ts';
export { listNewestPictures } from './webcams/snapshots.repo.ts';
export { downloadPicture } from './webcams/snapshots.service.ts';
