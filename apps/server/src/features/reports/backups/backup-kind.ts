import { MAX_BACKUP_DEVICES } from '@isotherm/contracts/backups';
import { AppError } from '@isotherm/contracts/errors';
import { id, moment, timeZone } from '@isotherm/contracts/route';
import { z } from 'zod';
import type { Clock } from '../../../platform/clock.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import type { JobKind } from '../../../platform/result-jobs/job-kind.ts';
import { type ArchiveParts, archiveContent } from './archive-content.ts';
import { type ArchiveDevice, listArchiveDevices } from './archive-devices.repo.ts';
import { findSite } from './configurations.repo.ts';

const parameters = z.strictObject({
  title: z.string(),
  fileName: z.string(),
  organizationId: id,
  /** Empty for all devices of the organisation and below it. */
  devices: z.array(id),
  from: moment,
  to: moment,
  zone: timeZone,
});
export type BackupOrder = z.output<typeof parameters>;

/** The kind of jobs that write the archive of a backup. */
export function createBackupKind(parts: ArchiveParts & { clock: Clock }): JobKind<BackupOrder> {
  const { reportPool, clock } = parts;

  /** Devices that were deleted or moved away since the configuration was saved are left out. */
  async function found(caller: Caller, { organizationId, devices }: BackupOrder) {
    const site = await findSite(reportPool, caller.scope, organizationId);
    if (!site) throw new AppError('organization.not_found');
    const rows: ArchiveDevice[] = await listArchiveDevices(
      reportPool,
      site.path,
      devices.length === 0 ? null : devices,
      MAX_BACKUP_DEVICES + 1,
    );
    if (rows.length === 0) throw new AppError('backup.no_devices');
    if (rows.length > MAX_BACKUP_DEVICES)
      throw new AppError('backup.device_limit', { limit: MAX_BACKUP_DEVICES });
    return { site, rows };
  }

  return {
    name: 'data-backup',
    permission: 'report-backup:export',
    parameters,
    check: found,
    async run(caller, order, work) {
      const { site, rows } = await found(caller, order);
      return archiveContent(
        parts,
        caller,
        {
          title: order.title,
          organization: { id: order.organizationId, name: site.name, path: site.path },
          devices: rows,
          from: Date.parse(order.from),
          to: Date.parse(order.to),
          zone: order.zone,
          fileName: order.fileName,
        },
        work,
        new Date(clock.now()),
      );
    },
  };
}
