import {
  createWaybillClient,
  deleteWaybillClient,
  editWaybillClient,
  exportWaybillClients,
  getWaybillClient,
  getWaybillClientTemplate,
  importWaybillClients,
  listWaybillClients,
} from '@isotherm/contracts/waybill-clients';
import type { Mount } from '../../../platform/http/mount.ts';
import type { ClientSheets } from './client-sheets.ts';
import type { ClientsService } from './clients.service.ts';

export function mountClients(mount: Mount, service: ClientsService, sheets: ClientSheets): void {
  mount(listWaybillClients, ({ caller, query }) => service.list(caller, query));
  mount(exportWaybillClients, ({ caller, query }) => sheets.export(caller, query));
  mount(getWaybillClientTemplate, ({ caller }) => sheets.template(caller));
  mount(importWaybillClients, ({ caller, body }) => sheets.import(caller, body));
  mount(getWaybillClient, ({ caller, params }) => service.get(caller, params.id));
  mount(createWaybillClient, ({ caller, body }) => service.create(caller, body));
  mount(editWaybillClient, ({ caller, params, body }) => service.edit(caller, params.id, body));
  mount(deleteWaybillClient, ({ caller, params, body }) => service.remove(caller, params.id, body.reason));
}
