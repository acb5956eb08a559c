import {
  type BackupArchive,
  type BackupConfiguration,
  type BackupInput,
  createBackup,
  deleteBackup,
  downloadBackupArchive,
  downloadDeviceArchive,
  editBackup,
  exportBackupArchives,
  getBackup,
  getBackupService,
  listBackupArchives,
  listBackups,
  MAX_BACKUP_DEVICES,
  runBackup,
  verifyBackupManifest,
} from '@isotherm/contracts/backups';
import { AppError, type ErrorCode } from '@isotherm/contracts/errors';
import type { Premium } from '@isotherm/domain/billing/premium';
import { nextReport, type ReportInterval, reportedPeriod } from '@isotherm/domain/reports/report-schedule';
import type { Language } from '@isotherm/i18n/languages';
import type { TextId } from '@isotherm/i18n/text-id';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { Audit } from '../../../platform/audit/audit.ts';
import { createKeptRecords } from '../../../platform/audit/kept-records.ts';
import type { Clock } from '../../../platform/clock.ts';
import { type Db, transaction } from '../../../platform/db/pool.ts';
import { type Caller, type Person, personOf } from '../../../platform/http/caller.ts';
import { wordError } from '../../../platform/http/error-words.ts';
import type { Mount } from '../../../platform/http/mount.ts';
import { equalText } from '../../../platform/http/signature.ts';
import { clockIn } from '../../../platform/local-time.ts';
import type { Messages } from '../../../platform/messages/messages.ts';
import type { ResultJobs } from '../../../platform/result-jobs/result-jobs.ts';
import type { Sealing } from '../../../platform/sealing.ts';
import { exportSheet } from '../../../platform/sheets/sheet-export.ts';
import { findDeviceArchive } from '../release/releases.repo.ts';
import { addRuns } from '../schedules/runs.repo.ts';
import { backupOrderOf } from '../schedules/scheduled-kinds.ts';
import { deleteSchedule, isStarted, lockSchedule } from '../schedules/schedules.repo.ts';
import { sealOf } from './archive-content.ts';
import { type ArchiveRow, findArchiveJob, listArchiveRows } from './archives.repo.ts';
import {
  type BackupFields,
  type BackupRow,
  countDevicesOf,
  findBackup,
  findDeviceIds,
  findSite,
  insertBackup,
  listBackupRows,
  listInactive,
  resumeBackup,
  updateBackup,
} from './configurations.repo.ts';

const MOST_ROWS = 50_000;

/** When backups are made (requirements §9): at 00:00, weekly ones on Mondays, monthly ones on the first day. */
const timingOf = (interval: ReportInterval, timeZone: string) => ({
  interval,
  weekday: 1,
  monthDay: 1,
  at: '00:00',
  timeZone,
});

export interface BackupParts {
  pool: pg.Pool;
  audit: Pick<Audit, 'record' | 'recordAlone'>;
  clock: Clock;
  translate: Translate;
  sealing: Pick<Sealing, 'mac'>;
  messages: Pick<Messages, 'canDeliver'>;
  resultJobs: Pick<ResultJobs, 'permit' | 'open'>;
  /** Whether an organisation may use the premium service now, with how many devices. */
  premiumOf(db: Db, organizationId: number, service: 'backup'): Promise<Premium>;
}

/**
 * Throws `backup.inactive`, and `backup.device_limit` for more devices than the organisation may back up. Without chosen
 * devices, all of the organisation and below it count.
 */
export async function permitBackup(
  { pool, premiumOf }: Pick<BackupParts, 'pool' | 'premiumOf'>,
  { organizationId, devices }: { organizationId: number; devices: readonly unknown[] },
): Promise<void> {
  const { state, deviceLimit } = await premiumOf(pool, organizationId, 'backup');
  if (state !== 'active' && state !== 'trial') throw new AppError('backup.inactive');
  const limit = Math.min(deviceLimit ?? MAX_BACKUP_DEVICES, MAX_BACKUP_DEVICES);
  const count = devices.length > 0 ? devices.length : await countDevicesOf(pool, organizationId);
  if (count > limit) throw new AppError('backup.device_limit', { limit });
}

/** Resumes configurations that were paused at the end of a service which is in use again. */
export async function resumeBackups({
  pool,
  clock,
  premiumOf,
}: Pick<BackupParts, 'pool' | 'clock' | 'premiumOf'>): Promise<void> {
  for (const { id, organizationId, interval, timeZone } of await listInactive(pool)) {
    const { state } = await premiumOf(pool, organizationId, 'backup');
    if (state === 'active' || state === 'trial')
      await resumeBackup(pool, id, new Date(nextReport(timingOf(interval, timeZone), clock.now())));
  }
}

/** Mounts the routes of backups: configurations, each change with an audit entry, and archives. */
export function mountBackups(mount: Mount, parts: BackupParts & { nudge(): void }): void {
  const { pool, audit, clock, translate, sealing, messages, resultJobs, nudge } = parts;
  const now = () => new Date(clock.now());

  async function find(db: Db, { scope }: Caller, id: number): Promise<BackupRow> {
    const row = await findBackup(db, now(), scope, id);
    if (!row) throw new AppError('backup.not_found');
    return row;
  }

  const records = createKeptRecords<BackupRow>(pool, audit, {
    find,
    lock: lockSchedule,
    objectOf,
    fieldsOf,
    taken: { constraint: 'report_schedule_name', code: 'backup.taken' },
  });

  /** The backups have the rights of the caller, who must be allowed to order such a backup now. */
  async function checked(caller: Person, { devices, ...form }: BackupInput): Promise<BackupFields> {
    const site = await findSite(pool, caller.scope, form.organizationId);
    if (!site) throw new AppError('organization.not_found');
    const numbers = [...new Set(devices)];
    const deviceIds = await findDeviceIds(pool, site.path, numbers);
    if (deviceIds.length !== numbers.length) throw new AppError('device.not_found');
    // One that is saved as paused needs no service.
    if (form.enabled) {
      await permitBackup(parts, { organizationId: form.organizationId, devices: numbers });
      const about = {
        name: form.title,
        fileName: form.fileName,
        organizationId: form.organizationId,
        devices: deviceIds,
      };
      const period = reportedPeriod(form.interval, clock.now(), site.timeZone);
      await resultJobs.permit(caller, backupOrderOf(about, period, site.timeZone));
    }
    return {
      ...form,
      deviceIds,
      // An address that was entered twice gets one e-mail.
      recipients: [...new Map(form.recipients.map((each) => [each.toLowerCase(), each])).values()],
      ownerId: caller.accountId,
      dueAt: form.enabled ? new Date(nextReport(timingOf(form.interval, site.timeZone), clock.now())) : null,
      changedBy: caller.username,
      changedAt: now(),
    };
  }

  async function start(caller: Person, id: number): Promise<null> {
    await permitBackup(parts, await find(pool, caller, id));
    await transaction(pool, async (tx) => {
      await lockSchedule(tx, id);
      const backup = await find(tx, caller, id);
      if (await isStarted(tx, id)) throw new AppError('backup.running');
      const { from, to } = reportedPeriod(backup.interval, clock.now(), backup.timeZone);
      const run = { scheduleId: id, dueAt: now(), startedBy: caller.username };
      await addRuns(tx, [{ ...run, from: new Date(from), to: new Date(to) }]);
      await audit.record(tx, caller, {
        action: 'export',
        ...objectOf(backup),
        after: { recipients: backup.recipients },
      });
    });
    nudge();
    return null;
  }

  function archiveOf({ errorValues, ...row }: ArchiveRow, language: Language): BackupArchive {
    return {
      ...row,
      dueAt: row.dueAt.toISOString(),
      from: row.from.toISOString(),
      to: row.to.toISOString(),
      endedAt: row.endedAt?.toISOString() ?? null,
      expiresAt: row.expiresAt?.toISOString() ?? null,
      error:
        row.error &&
        wordError({ code: row.error as ErrorCode, params: errorValues ?? {} }, language, translate),
    };
  }

  mount(getBackupService, async ({ caller: { organizationId } }) => {
    const { state, until, deviceLimit } = await parts.premiumOf(pool, organizationId, 'backup');
    return {
      organizationId,
      state,
      until: until === null ? null : new Date(until).toISOString(),
      deviceLimit,
      mayTry: state === 'not-activated',
      canDeliver: messages.canDeliver('email'),
    };
  });
  mount(listBackups, async ({ caller, query: { page, pageSize, sort, order, ...filter } }) => {
    const limit = { sort, order, limit: pageSize, offset: (page - 1) * pageSize };
    const { rows, total } = await listBackupRows(pool, now(), caller.scope, filter, limit);
    return { items: rows.map(viewOf), total };
  });
  mount(getBackup, async ({ caller, params }) => viewOf(await find(pool, caller, params.id)));
  mount(createBackup, async ({ caller, body }) => {
    const fields = await checked(personOf(caller), body);
    return viewOf(await records.create(caller, (tx) => insertBackup(tx, fields)));
  });
  mount(editBackup, async ({ caller, params: { id }, body }) => {
    await find(pool, caller, id);
    const fields = await checked(personOf(caller), body);
    return viewOf(await records.change(caller, id, (tx) => updateBackup(tx, id, fields)));
  });
  mount(deleteBackup, ({ caller, params, body }) =>
    records.remove(caller, params.id, body.reason, (tx) => deleteSchedule(tx, params.id)),
  );
  mount(runBackup, ({ caller, params }) => start(personOf(caller), params.id));

  mount(
    listBackupArchives,
    async ({ caller, query: { page, pageSize, sort, order, ...filter }, language }) => {
      const limit = { sort, order, limit: pageSize, offset: (page - 1) * pageSize };
      const { rows, total } = await listArchiveRows(pool, now(), caller.scope, filter, limit);
      return { items: rows.map((row) => archiveOf(row, language)), total };
    },
  );
  mount(exportBackupArchives, async ({ caller, query: { sort, order, ...filter } }) => {
    const text = (id: TextId) => translate(caller.language, id);
    const { rows } = await listArchiveRows(pool, now(), caller.scope, filter, {
      sort,
      order,
      limit: MOST_ROWS + 1,
      offset: 0,
    });
    const timeOf = (at: Date | null, zone: string) =>
      at === null ? '' : clockIn(zone)(at).replace('T', ' ');
    return exportSheet(audit, caller, {
      fileName: 'data-backups.xlsx',
      objectKind: 'backup',
      sheetName: 'Backups',
      head: [
        text('backups.title'),
        text('users.organization'),
        text('backups.due'),
        text('logs.from'),
        text('logs.to'),
        text('users.time-zone'),
        text('backups.state'),
        text('backups.file'),
        text('reports.register.size'),
        text('reports.register.sha256'),
      ],
      widths: [28, 24, 20, 20, 20, 18, 14, 32, 14, 66],
      found: rows,
      most: MOST_ROWS,
      cellsOf: (row) => [
        row.title,
        row.organizationName,
        timeOf(row.dueAt, row.timeZone),
        timeOf(row.from, row.timeZone),
        timeOf(row.to, row.timeZone),
        row.timeZone,
        text(`backups.state.${row.state}`),
        row.fileName ?? '',
        row.bytes === null ? '' : String(row.bytes),
        row.sha256 ?? '',
      ],
    });
  });
  mount(downloadBackupArchive, async ({ caller, params: { id } }) => {
    const archive = await findArchiveJob(pool, caller.scope, id);
    if (!archive) throw new AppError('backup.no_archive');
    if (archive.jobId === null) throw new AppError('job.no_file');
    const file = await resultJobs.open(archive.jobId);
    await audit.recordAlone(caller, {
      action: 'export',
      objectKind: 'backup',
      objectId: id,
      objectName: archive.title,
      organizationPath: archive.organizationPath,
      after: { file: file.fileName },
    });
    return file;
  });
  mount(downloadDeviceArchive, async ({ caller, params: { number } }) => {
    const archive = await findDeviceArchive(pool, caller.scope, number);
    if (!archive) throw new AppError('backup.no_archive');
    const file = await resultJobs.open(archive.jobId);
    await audit.recordAlone(caller, {
      action: 'export',
      objectKind: 'device-release',
      objectId: number,
      objectName: archive.name,
      organizationPath: archive.organizationPath,
      after: { file: file.fileName },
    });
    return file;
  });
  mount(verifyBackupManifest, ({ body: { manifest, seal } }) => ({
    isGenuine: equalText(seal.trim(), sealOf(sealing, manifest)),
  }));
}

function viewOf({
  organizationPath: _,
  ownerName: __,
  dueAt,
  changedAt,
  ...row
}: BackupRow): BackupConfiguration {
  return { ...row, dueAt: dueAt?.toISOString() ?? null, changedAt: changedAt.toISOString() };
}

const objectOf = ({ id, title, organizationPath }: BackupRow) => ({
  objectKind: 'backup',
  objectId: id,
  objectName: title,
  organizationPath,
});

const fieldsOf = (row: BackupRow) => ({
  name: row.title,
  organization: row.organizationName,
  fileName: row.fileName,
  devices: row.devices,
  interval: row.interval,
  recipients: row.recipients,
  language: row.language,
  enabled: row.enabled,
  owner: row.ownerName,
});
