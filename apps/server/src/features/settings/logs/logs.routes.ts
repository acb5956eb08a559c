import { exportLogs, getLog, listLogs, orderLogs } from '@isotherm/contracts/logs';
import { personOf } from '../../../platform/http/caller.ts';
import type { Mount } from '../../../platform/http/mount.ts';
import type { ResultJobs } from '../../../platform/result-jobs/result-jobs.ts';
import type { LogsService } from './logs.service.ts';

export function mountLogs(mount: Mount, service: LogsService, jobs: Pick<ResultJobs, 'order'>): void {
  mount(listLogs, ({ caller, query }) => service.list(caller, query));
  mount(getLog, ({ caller, params }) => service.get(caller, params.id));
  mount(exportLogs, ({ caller, query }) => service.export(caller, query));
  mount(orderLogs, ({ caller, body }) =>
    jobs.order(personOf(caller), {
      kind: 'log-export',
      subject: body.search.trim(),
      parameters: service.until(body),
    }),
  );
}
