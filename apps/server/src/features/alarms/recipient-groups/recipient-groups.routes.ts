import {
  createRecipientGroup,
  deleteRecipientGroup,
  editRecipientGroup,
  exportRecipientGroups,
  getRecipientGroup,
  listGroupCandidates,
  listRecipientGroups,
} from '@isotherm/contracts/recipient-groups';
import type { Mount } from '../../../platform/http/mount.ts';
import type { RecipientGroupsService } from './recipient-groups.service.ts';

export function mountRecipientGroups(mount: Mount, service: RecipientGroupsService): void {
  mount(listRecipientGroups, ({ caller, query }) => service.list(caller, query));
  mount(exportRecipientGroups, ({ caller, query }) => service.export(caller, query));
  mount(listGroupCandidates, ({ caller, query }) => service.candidates(caller, query.search));
  mount(getRecipientGroup, ({ caller, params }) => service.get(caller, params.id));
  mount(createRecipientGroup, ({ caller, body }) => service.create(caller, body));
  mount(editRecipientGroup, ({ caller, params, body }) => service.edit(caller, params.id, body));
  mount(deleteRecipientGroup, ({ caller, params, body }) => service.remove(caller, params.id, body.reason));
}
