export { type DatabaseInfo, mountSettings } from './settings.routes.ts';
export { siteOf, VERSION } from './settings.service.ts';
