import {
  createReminder,
  deleteReminder,
  editReminder,
  getReminder,
  listDue,
  listReminders,
} from '@isotherm/contracts/reminders';
import type { Mount } from '../../platform/http/mount.ts';
import type { RemindersService } from './reminders.service.ts';

export function mountReminders(mount: Mount, service: RemindersService): void {
  mount(listDue, ({ caller, query }) => service.due(caller, query));
  mount(listReminders, ({ caller, query }) => service.list(caller, query));
  mount(getReminder, ({ caller, params }) => service.get(caller, params.id));
  mount(createReminder, ({ caller, body }) => service.create(caller, body));
  mount(editReminder, ({ caller, params, body }) => service.edit(caller, params.id, body));
  mount(deleteReminder, ({ caller, params, body }) => service.remove(caller, params.id, body.reason));
}
