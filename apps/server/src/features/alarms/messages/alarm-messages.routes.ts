import {
  exportAlarmMessages,
  getAlarmMessage,
  listAlarmMessages,
  orderAlarmMessages,
  resendAlarmMessage,
  resendAlarmMessages,
} from '@isotherm/contracts/alarm-messages';
import { personOf } from '../../../platform/http/caller.ts';
import type { Mount } from '../../../platform/http/mount.ts';
import type { ResultJobs } from '../../../platform/result-jobs/result-jobs.ts';
import type { AlarmMessages } from './alarm-messages.service.ts';

export function mountAlarmMessages(
  mount: Mount,
  service: AlarmMessages,
  jobs: Pick<ResultJobs, 'order'>,
): void {
  mount(listAlarmMessages, ({ caller, query }) => service.list(caller, query));
  mount(exportAlarmMessages, ({ caller, query }) => service.export(caller, query));
  mount(orderAlarmMessages, async ({ caller, body }) => {
    const parameters = await service.check(caller, body);
    return jobs.order(personOf(caller), { kind: 'message-export', subject: body.search.trim(), parameters });
  });
  mount(getAlarmMessage, ({ caller, params }) => service.get(caller, params.id));
  mount(resendAlarmMessage, ({ caller, params }) => service.resend(caller, params.id));
  mount(resendAlarmMessages, ({ caller, body }) => service.resendSeveral(caller, body.ids));
}
