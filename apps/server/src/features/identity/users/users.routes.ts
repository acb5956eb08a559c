import {
  createUser,
  deleteUser,
  disableUsers,
  editUser,
  enableUsers,
  endUserSessions,
  exportUsers,
  getUser,
  getUserTemplate,
  importUsers,
  listAgents,
  listUserSessions,
  listUsers,
  resetUserPassword,
  unlockUser,
} from '@isotherm/contracts/users';
import type { Mount } from '../../../platform/http/mount.ts';
import type { UserSheets } from './user-sheets.ts';
import type { UsersService } from './users.service.ts';

export function mountUsers(mount: Mount, service: UsersService, sheets: UserSheets): void {
  mount(listUsers, ({ caller, query }) => service.list(caller, query));
  mount(exportUsers, ({ caller, query }) => sheets.export(caller, query));
  mount(getUserTemplate, ({ caller }) => sheets.template(caller));
  mount(importUsers, ({ caller, body }) => sheets.import(caller, body));
  mount(listAgents, async ({ caller, query }) => {
    const agents = await service.agents(caller, query.search);
    return agents.map(({ organization_name, ...agent }) => ({
      ...agent,
      organizationName: organization_name,
    }));
  });
  mount(getUser, ({ caller, params }) => service.get(caller, params.id));
  mount(createUser, ({ caller, body }) => service.create(caller, body));
  mount(editUser, ({ caller, params, body }) => service.edit(caller, params.id, body));
  mount(disableUsers, ({ caller, body }) => service.disable(caller, body.ids, body.reason));
  mount(enableUsers, ({ caller, body }) => service.enable(caller, body.ids));
  mount(resetUserPassword, ({ caller, params, body }) => service.resetPassword(caller, params.id, body));
  mount(unlockUser, ({ caller, params }) => service.unlock(caller, params.id));
  mount(deleteUser, ({ caller, params, body }) => service.remove(caller, params.id, body.reason));
  mount(listUserSessions, ({ caller, params }) => service.sessions(caller, params.id));
  mount(endUserSessions, ({ caller, params }) => service.endSessions(caller, params.id));
}
