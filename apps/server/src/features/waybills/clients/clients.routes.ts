import {
  createWaybillClient,
  deleteWaybillClient,
  editWaybillClient,
  exportWaybillClients,
  getWaybillClient,
  listWaybillClients,
} from '@isotherm/contracts/waybill-clients';
import type { Mount } from '../../../platform/http/mount.ts';
import type { ClientsService } from './clients.service.ts';

export function mountClients(mount: Mount, service: ClientsService): void {
  mount(listWaybillClients, ({ caller, query }) => service.list(caller, query));
  mount(exportWaybillClients, ({ caller, query }) => service.export(caller, query));
  mount(getWaybillClient, ({ caller, params }) => service.get(caller, params.id));
  mount(createWaybillClient, ({ caller, body }) => service.create(caller, body));
  mount(editWaybillClient, ({ caller, params, body }) => service.edit(caller, params.id, body));
  mount(deleteWaybillClient, ({ caller, params, body }) => service.remove(caller, params.id, body.reason));
}
