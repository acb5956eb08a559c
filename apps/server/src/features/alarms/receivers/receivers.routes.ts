import {
  createReceiver,
  deleteReceiver,
  editReceiver,
  exportReceivers,
  getReceiver,
  getReceiverTemplate,
  importReceivers,
  listReceivers,
} from '@isotherm/contracts/receivers';
import type { Mount } from '../../../platform/http/mount.ts';
import type { ReceiverSheets } from './receiver-sheets.ts';
import type { ReceiversService } from './receivers.service.ts';

export function mountReceivers(mount: Mount, service: ReceiversService, sheets: ReceiverSheets): void {
  mount(listReceivers, ({ caller, query }) => service.list(caller, query));
  mount(exportReceivers, ({ caller, query }) => sheets.export(caller, query));
  mount(getReceiverTemplate, ({ caller }) => sheets.template(caller));
  mount(importReceivers, ({ caller, body }) => sheets.import(caller, body));
  mount(getReceiver, ({ caller, params }) => service.get(caller, params.id));
  mount(createReceiver, ({ caller, body }) => service.create(caller, body));
  mount(editReceiver, ({ caller, params, body }) => service.edit(caller, params.id, body));
  mount(deleteReceiver, ({ caller, params, body }) => service.remove(caller, params.id, body.reason));
}
