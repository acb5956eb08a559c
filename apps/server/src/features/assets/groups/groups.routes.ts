import {
  changeGroupMembers,
  createAssetGroup,
  deleteAssetGroup,
  editAssetGroup,
  getAssetTree,
  listAssetGroups,
} from '@isotherm/contracts/asset-groups';
import type { Mount } from '../../../platform/http/mount.ts';
import type { GroupsService } from './groups.service.ts';

export function mountAssetGroups(mount: Mount, service: GroupsService): void {
  mount(listAssetGroups, ({ caller }) => service.list(caller));
  mount(createAssetGroup, ({ caller, body }) => service.create(caller, body));
  mount(editAssetGroup, ({ caller, params, body }) => service.edit(caller, params.id, body));
  mount(deleteAssetGroup, ({ caller, params, body }) => service.remove(caller, params.id, body.reason));
  mount(changeGroupMembers, ({ caller, params, body }) => service.changeMembers(caller, params.id, body));
  mount(getAssetTree, ({ caller }) => service.tree(caller));
}
