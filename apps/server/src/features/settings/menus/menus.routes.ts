import { createMenu, deleteMenu, editMenu, listMenus, moveMenu } from '@isotherm/contracts/menus';
import { getPagePermissions, getRouterInfo } from '@isotherm/contracts/settings';
import type { Caller } from '../../../platform/http/caller.ts';
import type { Mount } from '../../../platform/http/mount.ts';
import type { MenusService } from './menus.service.ts';
import { permissionsOn } from './router-info.ts';

export function mountMenus(
  mount: Mount,
  service: MenusService,
  unreadAnnouncements: (caller: Caller) => Promise<number>,
): void {
  mount(getRouterInfo, ({ caller, query }) => service.routes(caller, query.showall === 'true'));
  mount(getPagePermissions, async ({ caller, query }) => ({
    permissions: permissionsOn(query.menuname, caller.permissions),
    unreadAnnouncements: await unreadAnnouncements(caller),
  }));
  mount(listMenus, () => service.list());
  mount(createMenu, ({ caller, body }) => service.create(caller, body));
  mount(editMenu, ({ caller, params, body }) => service.edit(caller, params.id, body));
  mount(moveMenu, ({ caller, params, body }) =>
    service.move(caller, params.id, body.parentId, body.position),
  );
  mount(deleteMenu, ({ caller, params }) => service.remove(caller, params.id));
}
