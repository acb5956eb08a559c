import {
  createOrganization,
  deleteOrganization,
  editOrganization,
  getOrganization,
  listOrganizations,
  moveOrganization,
} from '@isotherm/contracts/organizations';
import type { Mount } from '../../../platform/http/mount.ts';
import type { OrganizationsService } from './organizations.service.ts';

export function mountOrganizations(mount: Mount, service: OrganizationsService): void {
  mount(listOrganizations, ({ caller }) => service.tree(caller));
  mount(getOrganization, ({ caller, params }) => service.get(caller, params.id));
  mount(createOrganization, ({ caller, body }) => service.create(caller, body));
  mount(editOrganization, ({ caller, params, body }) => service.edit(caller, params.id, body));
  mount(moveOrganization, ({ caller, params, body }) => service.move(caller, params.id, body));
  mount(deleteOrganization, ({ caller, params, body }) => service.remove(caller, params.id, body.reason));
}
