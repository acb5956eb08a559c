import { exportLogs, getLog, listLogs } from '@isotherm/contracts/logs';
import type { Mount } from '../../../platform/http/mount.ts';
import type { LogsService } from './logs.service.ts';

export function mountLogs(mount: Mount, service: LogsService): void {
  mount(listLogs, ({ caller, query }) => service.list(caller, query));
  mount(getLog, ({ caller, params }) => service.get(caller, params.id));
  mount(exportLogs, ({ caller, query }) => service.export(caller, query));
}
