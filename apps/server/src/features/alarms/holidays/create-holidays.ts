import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Mount } from '../../../platform/http/mount.ts';
import type { Imports } from '../../../platform/imports/imports.ts';
import { createHolidaySheets } from './holiday-sheets.ts';
import { mountHolidays } from './holidays.routes.ts';
import { createHolidaysService } from './holidays.service.ts';

/** Creates the feature of holidays, to which the schedules of alarm policies refer. */
export function createHolidays(parts: {
  pool: pg.Pool;
  audit: Pick<Audit, 'record' | 'recordAlone'>;
  clock: Clock;
  translate: Translate;
  running: Pick<Imports, 'run'>;
}): { mount(mount: Mount): void } {
  const service = createHolidaysService(parts.pool, parts.audit, parts.clock);
  const sheets = createHolidaySheets({ ...parts, holidays: service });
  return { mount: (mount) => mountHolidays(mount, service, sheets) };
}
