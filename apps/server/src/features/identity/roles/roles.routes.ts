import {
  createRole,
  deleteRole,
  editRole,
  getRole,
  listRoleHolders,
  listRoles,
} from '@isotherm/contracts/roles';
import type { Mount } from '../../../platform/http/mount.ts';
import type { RolesService } from './roles.service.ts';

export function mountRoles(mount: Mount, service: RolesService): void {
  mount(listRoles, ({ caller }) => service.list(caller));
  mount(getRole, ({ caller, params }) => service.get(caller, params.id));
  mount(createRole, ({ caller, body }) => service.create(caller, body));
  mount(editRole, ({ caller, params, body }) => service.edit(caller, params.id, body));
  mount(deleteRole, ({ caller, params, body }) => service.remove(caller, params.id, body.reason));
  mount(listRoleHolders, async ({ caller, params }) => {
    const holders = await service.holders(caller, params.id);
    return holders.map(({ organization_name, ...holder }) => ({
      ...holder,
      organizationName: organization_name,
    }));
  });
}
