import {
  createProductProfile,
  deleteProductProfile,
  editProductProfile,
  exportProductProfiles,
  getProductProfile,
  getProductProfileTemplate,
  importProductProfiles,
  listProductProfiles,
} from '@isotherm/contracts/product-profiles';
import type { Mount } from '../../../platform/http/mount.ts';
import type { ProfileSheets } from './profile-sheets.ts';
import type { ProfilesService } from './profiles.service.ts';

export function mountProfiles(mount: Mount, service: ProfilesService, sheets: ProfileSheets): void {
  mount(listProductProfiles, ({ caller, query }) => service.list(caller, query));
  mount(exportProductProfiles, ({ caller, query }) => sheets.export(caller, query));
  mount(getProductProfileTemplate, ({ caller }) => sheets.template(caller));
  mount(importProductProfiles, ({ caller, body }) => sheets.import(caller, body));
  mount(getProductProfile, ({ caller, params }) => service.get(caller, params.id));
  mount(createProductProfile, ({ caller, body }) => service.create(caller, body));
  mount(editProductProfile, ({ caller, params, body }) => service.edit(caller, params.id, body));
  mount(deleteProductProfile, ({ caller, params, body }) => service.remove(caller, params.id, body.reason));
}
