import { alarmFiles } from '@isotherm/contracts/alarm-files';
import { AppError } from '@isotherm/contracts/errors';
import type pg from 'pg';
import { mountAttachments } from '../../platform/attachments/attachments.ts';
import type { Audit } from '../../platform/audit/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Mount } from '../../platform/http/mount.ts';
import { type AlarmView, findAlarmsById } from './alarm-view.repo.ts';

/** Mounts the routes for photos and documents of alarms. */
export function mountAlarmFiles(
  mount: Mount,
  pool: pg.Pool,
  audit: Pick<Audit, 'record'>,
  clock: Clock,
): void {
  mountAttachments<AlarmView>(mount, alarmFiles, { pool, audit, clock }, 'alarm', {
    async find(db, caller, id) {
      const [alarm] = await findAlarmsById(db, [id]);
      if (!alarm?.organizationPath.startsWith(caller.scope)) throw new AppError('alarm.not_found');
      return alarm;
    },
    objectOf: ({ id, assetName, organizationPath }) => ({
      objectKind: 'alarm',
      objectId: id,
      objectName: assetName,
      organizationPath,
    }),
  });
}
