import { getSite, getSystemConfig } from '@isotherm/contracts/settings';
import type { Mount } from '../../../platform/http/mount.ts';
import type { SiteReader } from './site.ts';

export interface DatabaseInfo {
  tag: 'production' | 'test';
  address: string;
  database: string;
}

export function mountSite(mount: Mount, site: SiteReader, databases: readonly DatabaseInfo[]): void {
  mount(getSite, ({ host }) => site.read(host));
  mount(getSystemConfig, () => [...databases]);
}
