import {
  createHoliday,
  deleteHoliday,
  editHoliday,
  exportHolidays,
  getHoliday,
  getHolidayTemplate,
  importHolidays,
  listHolidays,
} from '@isotherm/contracts/holidays';
import type { Mount } from '../../../platform/http/mount.ts';
import type { HolidaySheets } from './holiday-sheets.ts';
import type { HolidaysService } from './holidays.service.ts';

export function mountHolidays(mount: Mount, service: HolidaysService, sheets: HolidaySheets): void {
  mount(listHolidays, ({ caller, query }) => service.list(caller, query));
  mount(exportHolidays, ({ caller, query }) => sheets.export(caller, query));
  mount(getHolidayTemplate, ({ caller }) => sheets.template(caller));
  mount(importHolidays, ({ caller, body }) => sheets.import(caller, body));
  mount(getHoliday, ({ caller, params }) => service.get(caller, params.id));
  mount(createHoliday, ({ caller, body }) => service.create(caller, body));
  mount(editHoliday, ({ caller, params, body }) => service.edit(caller, params.id, body));
  mount(deleteHoliday, ({ caller, params, body }) => service.remove(caller, params.id, body.reason));
}
