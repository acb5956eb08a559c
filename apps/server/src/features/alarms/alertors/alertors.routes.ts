import {
  createAlertor,
  deleteAlertor,
  editAlertor,
  getAlertor,
  listAlertors,
  renewAlertorKey,
} from '@isotherm/contracts/alertors';
import type { Mount } from '../../../platform/http/mount.ts';
import type { AlertorsService } from './alertors.service.ts';

export function mountAlertors(mount: Mount, service: AlertorsService): void {
  mount(listAlertors, ({ caller, query }) => service.list(caller, query));
  mount(getAlertor, ({ caller, params }) => service.get(caller, params.id));
  mount(createAlertor, ({ caller, body }) => service.create(caller, body));
  mount(editAlertor, ({ caller, params, body }) => service.edit(caller, params.id, body));
  mount(renewAlertorKey, ({ caller, params, body }) => service.renewKey(caller, params.id, body.reason));
  mount(deleteAlertor, ({ caller, params, body }) => service.remove(caller, params.id, body.reason));
}
