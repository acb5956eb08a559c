import {
  confirmAlarmTest,
  createTestSchedule,
  deleteTestSchedule,
  editTestSchedule,
  exportAlarmTests,
  getAlarmTest,
  getTestSchedule,
  listAlarmTests,
  listTestSchedules,
  recordTestConfirmation,
  runAlarmTest,
  runAssetAlarmTest,
} from '@isotherm/contracts/alarm-tests';
import type { Mount } from '../../../platform/http/mount.ts';
import type { TestSchedulesService } from './schedules.service.ts';
import type { AlarmTestsService } from './tests.service.ts';

export function mountAlarmTests(
  mount: Mount,
  tests: AlarmTestsService,
  schedules: TestSchedulesService,
): void {
  mount(listAlarmTests, ({ caller, query }) => tests.list(caller, query));
  mount(exportAlarmTests, ({ caller, query }) => tests.export(caller, query));
  mount(getAlarmTest, ({ caller, params }) => tests.get(caller, params.id));
  mount(runAlarmTest, ({ caller, body }) => tests.run(caller, body));
  mount(runAssetAlarmTest, ({ caller, params }) => tests.runForAsset(caller, params.id));
  mount(confirmAlarmTest, ({ caller, params }) => tests.confirm(caller, params.id));
  mount(recordTestConfirmation, ({ caller, params, body }) =>
    tests.recordConfirmation(caller, params.id, params.messageId, body.name),
  );
  mount(listTestSchedules, ({ caller, query }) => schedules.list(caller, query));
  mount(getTestSchedule, ({ caller, params }) => schedules.get(caller, params.id));
  mount(createTestSchedule, ({ caller, body }) => schedules.create(caller, body));
  mount(editTestSchedule, ({ caller, params, body }) => schedules.edit(caller, params.id, body));
  mount(deleteTestSchedule, ({ caller, params, body }) => schedules.remove(caller, params.id, body.reason));
}
