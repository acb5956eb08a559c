import {
  acknowledgeAlarm,
  acknowledgeAlarms,
  assignAlarm,
  commentAlarm,
  endAlarm,
  endAlarms,
  exportAlarms,
  fixAlarm,
  getAlarm,
  getAlarmCourse,
  listAlarmGroups,
  listAlarms,
  listAlarmsSince,
  listAssignees,
  listMoveTargets,
} from '@isotherm/contracts/alarms';
import type { Mount } from '../../platform/http/mount.ts';
import type { AlarmActions } from './alarm-actions.ts';
import type { AlarmBatches } from './alarm-batches.ts';
import type { AlarmsService } from './alarms.service.ts';
import type { FindMoveTargets } from './move-targets.ts';

export function mountAlarms(
  mount: Mount,
  service: AlarmsService,
  actions: AlarmActions,
  batches: AlarmBatches,
  findMoveTargets: FindMoveTargets,
): void {
  mount(listAlarms, ({ caller, query }) => service.list(caller, query));
  mount(listAlarmGroups, ({ caller, query }) => service.groups(caller, query));
  mount(listAlarmsSince, ({ caller, query }) => service.since(caller, query.recordedAfter));
  mount(exportAlarms, ({ caller, query }) => batches.export(caller, query));
  mount(acknowledgeAlarms, ({ caller, body: { ids, signature, ...said } }) =>
    batches.acknowledge(caller, ids, said, signature),
  );
  mount(endAlarms, ({ caller, body }) => batches.end(caller, body.ids, body.reason, body.signature));
  mount(getAlarm, ({ caller, params }) => service.get(caller, params.id));
  mount(getAlarmCourse, ({ caller, params }) => actions.course(caller, params.id));
  mount(acknowledgeAlarm, async ({ caller, params, body: { level, signature, ...said } }) =>
    actions.acknowledge(caller, params.id, said, await actions.signing(caller, signature), level),
  );
  mount(listMoveTargets, ({ caller, params }) => findMoveTargets(caller, params.id));
  mount(fixAlarm, async ({ caller, params, body }) =>
    actions.fix(caller, params.id, await actions.signing(caller, body.signature)),
  );
  mount(endAlarm, async ({ caller, params, body }) =>
    actions.end(caller, params.id, body.reason, await actions.signing(caller, body.signature)),
  );
  mount(assignAlarm, ({ caller, params, body }) => actions.assign(caller, params.id, body.accountId));
  mount(listAssignees, ({ caller, params, query }) => actions.assignees(caller, params.id, query.search));
  mount(commentAlarm, ({ caller, params, body }) => actions.comment(caller, params.id, body.text));
}
