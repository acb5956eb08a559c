import {
  cancelCommands,
  findDevices,
  getCommandBatch,
  listCommands,
  retryCommands,
  sendCommands,
} from '@isotherm/contracts/commands';
import type { Mount } from '../../../platform/http/mount.ts';
import type { CommandsService } from './commands.service.ts';

export function mountCommands(mount: Mount, service: CommandsService): void {
  mount(sendCommands, ({ caller, body }) => service.send(caller, body));
  mount(listCommands, ({ caller, query }) => service.list(caller, query));
  mount(getCommandBatch, ({ caller, params }) => service.batch(caller, params.id));
  mount(retryCommands, ({ caller, body }) => service.retry(caller, body.ids));
  mount(cancelCommands, ({ caller, body }) => service.cancel(caller, body.ids));
  mount(findDevices, ({ caller, query }) => service.findDevices(caller, query.search));
}
