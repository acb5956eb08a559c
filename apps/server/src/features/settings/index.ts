export { createSettings } from './create-settings.ts';
export { findReportLogo } from './print-heads/print-heads.service.ts';
export type { DatabaseInfo } from './site/site.routes.ts';
export { VERSION } from './site/site.ts';
