import { analyzeAlarms, exportAlarmHistory, listAlarmHistory } from '@isotherm/contracts/alarm-history';
import type { Mount } from '../../../platform/http/mount.ts';
import type { AlarmHistory } from './history.service.ts';

export function mountAlarmHistory(mount: Mount, history: AlarmHistory): void {
  mount(listAlarmHistory, ({ caller, query }) => history.list(caller, query));
  mount(exportAlarmHistory, ({ caller, query }) => history.export(caller, query));
  mount(analyzeAlarms, ({ caller, query }) => history.analyze(caller, query));
}
