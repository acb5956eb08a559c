import type { CallTools, Step } from './call-steps.ts';

let lastNumber = 71_000_000;

/** Returns the calls on backups of organisations and of the installation, each with its own. */
export function backupSteps({
  one,
  unique,
  demo,
  why,
}: CallTools): Record<string, () => Promise<Step> | Step> {
  // Without an owner, a backup that is started fails at once, and no work follows in the calls after it.
  const make = (name = unique()) =>
    one(
      `insert into report_schedule (organization_id, owner_id, name, kind, asset_ids, format, interval_unit, weekday, month_day,
                                    starts_at, recipients, language, enabled, changed_by, changed_at, file_name)
       values ($1, null, $2, 'data-backup', '{}', 'csv', 'day', 1, 1, '00:00', '{nurse@example.com}', 'en', false, 'test',
               now(), 'matrix') returning id`,
      [demo, name],
    );
  const archive = async (name = unique()) =>
    one(
      `insert into report_run (schedule_id, due_at, started_by, from_at, to_at, state, file_name, ended_at)
       values ($1, now(), 'test', now(), now(), 'sent', 'matrix.zip', now()) returning id`,
      [await make(name)],
    );
  /** The service of an organisation that may be backed up. */
  const service = () =>
    one(
      `insert into premium_service (organization_id, service, activated_at, active_until, changed_by, changed_at)
       values ($1, 'backup', now(), now() + interval '1 day', 'test', now())
       on conflict (organization_id, service) do update set activated_at = now(), active_until = now() + interval '1 day'
       returning organization_id as id`,
      [demo],
    );
  const form = () => ({
    organizationId: demo,
    title: unique(),
    fileName: 'matrix',
    interval: 'day',
    devices: [],
    recipients: ['nurse@example.com'],
    language: 'en',
    enabled: false,
  });
  const outside = 'backup.not_found';
  return {
    listBackups: async () => {
      const name = unique();
      await make(name);
      return { query: { search: name }, holds: (data) => JSON.stringify(data).includes(name) };
    },
    getBackup: async () => ({ params: { id: await make() }, outside }),
    createBackup: () => ({ json: form(), outside: 'organization.not_found' }),
    editBackup: async () => ({ params: { id: await make() }, json: form(), outside }),
    deleteBackup: async () => ({ params: { id: await make() }, json: why, outside }),
    runBackup: async () => {
      await service();
      return { params: { id: await make() }, outside };
    },
    listBackupArchives: async () => {
      const name = unique();
      await archive(name);
      return { query: { search: name }, holds: (data) => JSON.stringify(data).includes(name) };
    },
    exportBackupArchives: async () => {
      const name = unique();
      await archive(name);
      return { query: { search: name }, holds: (data) => (data as { rows: number }).rows === 1 };
    },
    // The matrix has no files.
    downloadBackupArchive: async () => ({
      params: { id: await archive() },
      status: 'job.no_file',
      outside: 'backup.no_archive',
    }),
    // The archive of a device whose file is gone.
    downloadDeviceArchive: async () => {
      const number = String(++lastNumber);
      await one(
        `with made as (
           insert into device (organization_id, number, name, key_hash, expires_at)
           select $1, $2, 'Matrix', '', now() returning id
         )
         insert into device_release (device_id, organization_id, expired_at, state, begun_at, job_id, file_hash, ended_at)
         select id, $1, now(), 'cancelled', now(), 0, 'x', now() from made returning id`,
        [demo, number],
      );
      return { params: { number }, status: 'job.no_file', outside: 'backup.no_archive' };
    },
    verifyBackupManifest: () => ({ json: { manifest: '0'.repeat(64), seal: '' } }),
    // Tests make no backups of their installation.
    startInstallationBackup: () => ({ status: 'installation_backup.off' }),
  };
}
