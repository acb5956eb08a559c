export { mountAssets } from './assets.routes.ts';
export { type AssetsService, createAssetsService, type ScopedCard } from './assets.service.ts';
