import {
  getPagePermissions,
  getRouterInfo,
  getSite,
  getSystemConfig,
  type Site,
} from '@isotherm/contracts/settings';
import type { Mount } from '../../platform/http/mount.ts';
import { menuFor, permissionsOn } from './settings.service.ts';

export interface DatabaseInfo {
  tag: 'production' | 'test';
  address: string;
  database: string;
}

export function mountSettings(mount: Mount, site: () => Site, databases: () => DatabaseInfo[]): void {
  mount(getSite, site);
  mount(getRouterInfo, ({ caller }) => menuFor(caller.permissions));
  mount(getPagePermissions, ({ caller, query }) => ({
    permissions: permissionsOn(query.menuname, caller.permissions),
    unreadAnnouncements: 0,
  }));
  mount(getSystemConfig, databases);
}
