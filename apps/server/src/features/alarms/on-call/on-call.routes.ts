import {
  addOnCallChange,
  createOnCall,
  deleteOnCall,
  editOnCall,
  listOnCall,
  listOnCallCandidates,
  removeOnCallChange,
} from '@isotherm/contracts/on-call';
import type { Mount } from '../../../platform/http/mount.ts';
import type { OnCallService } from './on-call.service.ts';

export function mountOnCall(mount: Mount, service: OnCallService): void {
  mount(listOnCall, ({ caller }) => service.list(caller));
  mount(listOnCallCandidates, ({ caller, query }) => service.candidates(caller, query.search));
  mount(createOnCall, ({ caller, body }) => service.create(caller, body));
  mount(editOnCall, ({ caller, params, body }) => service.edit(caller, params.id, body));
  mount(deleteOnCall, ({ caller, params, body }) => service.remove(caller, params.id, body.reason));
  mount(addOnCallChange, ({ caller, params, body }) => service.addChange(caller, params.id, body));
  mount(removeOnCallChange, ({ caller, params }) => service.removeChange(caller, params.id, params.changeId));
}
