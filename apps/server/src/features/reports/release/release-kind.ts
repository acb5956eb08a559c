import { AppError } from '@isotherm/contracts/errors';
import { id, timeZone } from '@isotherm/contracts/route';
import { RELEASE_ARCHIVE_DAYS } from '@isotherm/domain/devices/release';
import { z } from 'zod';
import type { Clock } from '../../../platform/clock.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import type { JobKind } from '../../../platform/result-jobs/job-kind.ts';
import { findFirstReading } from '../../telemetry/index.ts';
import { type ArchiveParts, archiveContent } from '../backups/archive-content.ts';
import { listArchiveDevices } from '../backups/archive-devices.repo.ts';
import { findSite } from '../backups/configurations.repo.ts';

const DAY_MS = 86_400_000;
const parameters = z.strictObject({ organizationId: id, deviceId: id, zone: timeZone });

/** The kind of jobs that write the archive of a device whose data are released. */
export function createReleaseKind(
  parts: ArchiveParts & { clock: Clock },
): JobKind<z.output<typeof parameters>> {
  const { reportPool, clock } = parts;

  async function found(caller: Caller, { organizationId, deviceId }: z.output<typeof parameters>) {
    const site = await findSite(reportPool, caller.scope, organizationId);
    if (!site) throw new AppError('organization.not_found');
    // A device that users have deleted keeps its data until it is removed for good.
    const [device] = await listArchiveDevices(reportPool, site.path, [deviceId], 1, { deleted: true });
    if (!device) throw new AppError('device.not_found');
    return { site, device };
  }

  return {
    name: 'device-archive',
    permission: 'report-backup:export',
    parameters,
    keptDays: RELEASE_ARCHIVE_DAYS,
    check: found,
    async run(caller, order, work) {
      const { site, device } = await found(caller, order);
      const now = clock.now();
      const first = (await findFirstReading(reportPool, device.channelIds)) ?? now - DAY_MS;
      return archiveContent(
        parts,
        caller,
        {
          title: `${device.number} ${device.name}`,
          organization: { id: order.organizationId, name: site.name, path: site.path },
          devices: [device],
          from: Math.min(first, now - DAY_MS),
          to: now,
          zone: order.zone,
          fileName: `device-${device.number}`,
        },
        work,
        new Date(now),
      );
    },
  };
}
