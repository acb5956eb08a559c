import {
  analyzeAlarms,
  exportAlarmHistory,
  listAlarmHistory,
  orderAlarmHistory,
} from '@isotherm/contracts/alarm-history';
import { personOf } from '../../../platform/http/caller.ts';
import type { Mount } from '../../../platform/http/mount.ts';
import type { ResultJobs } from '../../../platform/result-jobs/result-jobs.ts';
import type { AlarmHistory } from './history.service.ts';

export function mountAlarmHistory(
  mount: Mount,
  history: AlarmHistory,
  jobs: Pick<ResultJobs, 'order'>,
): void {
  mount(orderAlarmHistory, async ({ caller, body }) => {
    const parameters = await history.check(caller, body);
    return jobs.order(personOf(caller), { kind: 'alarm-export', subject: body.search.trim(), parameters });
  });
  mount(listAlarmHistory, ({ caller, query }) => history.list(caller, query));
  mount(exportAlarmHistory, ({ caller, query }) => history.export(caller, query));
  mount(analyzeAlarms, ({ caller, query }) => history.analyze(caller, query));
}
