import {
  exportAlarms,
  getAlarm,
  handleAlarm,
  handleAlarms,
  listAlarms,
  listAlarmsSince,
} from '@isotherm/contracts/alarms';
import type { Mount } from '../../platform/http/mount.ts';
import type { AlarmBatches } from './alarm-batches.ts';
import type { AlarmsService } from './alarms.service.ts';

export function mountAlarms(mount: Mount, service: AlarmsService, batches: AlarmBatches): void {
  mount(listAlarms, ({ caller, query }) => service.list(caller, query));
  mount(listAlarmsSince, ({ caller, query }) => service.since(caller, query.recordedAfter));
  mount(exportAlarms, ({ caller, query }) => batches.export(caller, query));
  mount(handleAlarms, ({ caller, body }) => batches.handle(caller, body.ids, body.comment));
  mount(getAlarm, ({ caller, params }) => service.get(caller, params.id));
  mount(handleAlarm, ({ caller, params, body }) => service.handle(caller, params.id, body.comment));
}
