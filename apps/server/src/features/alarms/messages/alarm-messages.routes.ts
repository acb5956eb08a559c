import {
  exportAlarmMessages,
  getAlarmMessage,
  listAlarmMessages,
  resendAlarmMessage,
  resendAlarmMessages,
} from '@isotherm/contracts/alarm-messages';
import type { Mount } from '../../../platform/http/mount.ts';
import type { AlarmMessages } from './alarm-messages.service.ts';

export function mountAlarmMessages(mount: Mount, service: AlarmMessages): void {
  mount(listAlarmMessages, ({ caller, query }) => service.list(caller, query));
  mount(exportAlarmMessages, ({ caller, query }) => service.export(caller, query));
  mount(getAlarmMessage, ({ caller, params }) => service.get(caller, params.id));
  mount(resendAlarmMessage, ({ caller, params }) => service.resend(caller, params.id));
  mount(resendAlarmMessages, ({ caller, body }) => service.resendSeveral(caller, body.ids));
}
