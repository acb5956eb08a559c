export { createSettings } from './create-settings.ts';
export type { DatabaseInfo } from './site/site.routes.ts';
export { VERSION } from './site/site.ts';
