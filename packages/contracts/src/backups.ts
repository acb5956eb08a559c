import { LANGUAGE_CODES } from '@isotherm/domain/access/languages';
import { PREMIUM_STATES } from '@isotherm/domain/billing/premium';
import { BACKUP_FILE_NAME, MAX_BACKUP_FILE_NAME } from '@isotherm/domain/reports/backup-archive';
import { REPORT_INTERVALS } from '@isotherm/domain/reports/report-schedule';
import { z } from 'zod';
import { sheetExport } from './batches.ts';
import { deviceNumber, email, label, reason } from './fields.ts';
import { MOST_REPORT_RECIPIENTS } from './report-schedules.ts';
import { defineRoute, download, id, moment, pageOf, paging } from './route.ts';

/** Largest number of devices in one backup; the service of the organisation may allow fewer. */
export const MAX_BACKUP_DEVICES = 1_000;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, { error: 'format' });

/** A configuration of regular backups (requirements §3). Backups are made at 00:00 in the time zone of the organisation. */
export const backupInput = z.strictObject({
  organizationId: id,
  /** Title; unique within the organisation, ignoring case. */
  title: label(80),
  /** Beginning of the names of the archives: letters, digits, hyphen, underscore (requirements §5). */
  fileName: z
    .string()
    .trim()
    .min(1, { error: 'required' })
    .max(MAX_BACKUP_FILE_NAME)
    .regex(BACKUP_FILE_NAME, { error: 'file-name' }),
  /** A daily backup contains the last day, a weekly one seven days, a monthly one the last calendar month. */
  interval: z.enum(REPORT_INTERVALS),
  /** Numbers of devices; empty for all devices of the organisation and below it. */
  devices: z.array(deviceNumber).max(MAX_BACKUP_DEVICES),
  recipients: z.array(email).min(1).max(MOST_REPORT_RECIPIENTS),
  /** Language of the files and of the e-mails. */
  language: z.enum(LANGUAGE_CODES),
  enabled: z.boolean().default(true),
});
export type BackupInput = z.output<typeof backupInput>;

/** Why the server has paused a configuration: error codes. */
export const BACKUP_PAUSE_REASONS = ['backup.inactive', 'job.forbidden'] as const;

export const ARCHIVE_STATES = ['waiting', 'running', 'ready', 'expired', 'failed'] as const;
export type ArchiveState = (typeof ARCHIVE_STATES)[number];

export const backupConfiguration = backupInput.extend({
  id: z.number().int(),
  organizationName: z.string(),
  timeZone: z.string(),
  /** The person whose rights the backups have: the last editor. Empty if the account was deleted. */
  owner: z.string(),
  /** Time of the next backup; null while the configuration is paused. */
  dueAt: moment.nullable(),
  /** Null if a person has paused it. */
  pauseReason: z.enum(BACKUP_PAUSE_REASONS).nullable(),
  last: z.object({ at: moment, state: z.enum(ARCHIVE_STATES) }).nullable(),
  changedBy: z.string(),
  changedAt: moment,
});
export type BackupConfiguration = z.output<typeof backupConfiguration>;

/** Whether the caller's organisation may make backups. */
export const getBackupService = defineRoute({
  name: 'getBackupService',
  method: 'GET',
  path: '/backup-service',
  access: 'setting-backup:view',
  summary: 'State of the premium service of the own organisation',
  response: z.object({
    organizationId: z.number().int(),
    state: z.enum(PREMIUM_STATES),
    /** End of the trial or of the activation; null if there was none. */
    until: moment.nullable(),
    /** Largest number of devices of one configuration; null without limit. */
    deviceLimit: z.number().int().nullable(),
    /** True if the organisation has neither tried nor had the service. */
    mayTry: z.boolean(),
    /** True if an e-mail transport is configured. */
    canDeliver: z.boolean(),
  }),
});

export const listBackups = defineRoute({
  name: 'listBackups',
  method: 'GET',
  path: '/backup',
  access: 'setting-backup:view',
  summary: 'Configurations of backups of own and subordinate organisations',
  query: z.object({
    ...paging,
    /** Searched in titles, file names and recipients. */
    search: z.string().max(100).default(''),
    organizationId: id.optional(),
    sort: z.enum(['title', 'dueAt']).default('title'),
    order: z.enum(['asc', 'desc']).default('asc'),
  }),
  response: pageOf(backupConfiguration),
});

const one = z.object({ id });

/** Reads a configuration. Throws `backup.not_found`. */
export const getBackup = defineRoute({
  name: 'getBackup',
  method: 'GET',
  path: '/backup/:id',
  access: 'setting-backup:view',
  summary: 'One configuration of backups',
  params: one,
  response: backupConfiguration,
});

/**
 * Creates a configuration. Its backups have the rights of the caller. Throws `organization.not_found`, `device.not_found`,
 * `backup.inactive|device_limit|taken`, `job.forbidden`.
 */
export const createBackup = defineRoute({
  name: 'createBackup',
  method: 'POST',
  path: '/backup',
  access: 'setting-backup:edit',
  machines: false,
  summary: 'Create a configuration of backups',
  body: backupInput,
  response: backupConfiguration,
});

/** Edits, pauses or resumes a configuration. Throws what creating throws, and `backup.not_found`. */
export const editBackup = defineRoute({
  name: 'editBackup',
  method: 'PUT',
  path: '/backup/:id',
  access: 'setting-backup:edit',
  machines: false,
  summary: 'Change, pause or resume a configuration of backups',
  params: one,
  body: backupInput,
  response: backupConfiguration,
});

/** Deletes a configuration with its archives. Throws `backup.not_found`. */
export const deleteBackup = defineRoute({
  name: 'deleteBackup',
  method: 'DELETE',
  path: '/backup/:id',
  access: 'setting-backup:edit',
  summary: 'Delete a configuration of backups and its archives',
  params: one,
  body: z.strictObject({ reason }),
  response: z.null(),
});

/** Makes a backup of the last period now, beside the planned ones. Throws `backup.not_found|running|inactive`. */
export const runBackup = defineRoute({
  name: 'runBackup',
  method: 'POST',
  path: '/backup/:id/run',
  access: 'setting-backup:edit',
  machines: false,
  summary: 'Make a backup now',
  params: one,
  response: z.null(),
});

export const backupArchive = z.object({
  id: z.number().int(),
  configurationId: z.number().int(),
  title: z.string(),
  organizationName: z.string(),
  timeZone: z.string(),
  /** When it was due, or when it was started by hand. */
  dueAt: moment,
  /** Who started it; empty if it was due. */
  startedBy: z.string(),
  from: moment,
  to: moment,
  state: z.enum(ARCHIVE_STATES),
  /** Finished part, 0 to 1. */
  progress: z.number(),
  endedAt: moment.nullable(),
  fileName: z.string().nullable(),
  bytes: z.number().int().nullable(),
  /** SHA-256 of the archive, in hexadecimal. */
  sha256: z.string().nullable(),
  /** Until when it can be downloaded. */
  expiresAt: moment.nullable(),
  /** Why it has failed, in the language of the reader. */
  error: z.string().nullable(),
  /** Recipients whose mail servers refused or returned the e-mail. */
  refused: z.array(z.string()),
});
export type BackupArchive = z.output<typeof backupArchive>;

const archiveFilter = {
  /** Searched in titles and names of files. */
  search: z.string().max(100).default(''),
  organizationId: id.optional(),
  configurationId: id.optional(),
  state: z.enum(ARCHIVE_STATES).optional(),
  sort: z.enum(['dueAt', 'bytes']).default('dueAt'),
  order: z.enum(['asc', 'desc']).default('desc'),
};

/** Archives are listed for 80 days. */
export const listBackupArchives = defineRoute({
  name: 'listBackupArchives',
  method: 'GET',
  path: '/backup-archive',
  access: 'report-backup:view',
  summary: 'Backups of own and subordinate organisations',
  query: z.object({ ...paging, ...archiveFilter }),
  response: pageOf(backupArchive),
});

export const exportBackupArchives = defineRoute({
  name: 'exportBackupArchives',
  method: 'GET',
  path: '/backup-archive/export',
  access: 'report-backup:export',
  summary: 'The filtered list of backups as a spreadsheet',
  query: z.object(archiveFilter),
  response: sheetExport,
});

/** Downloads an archive. Throws `backup.no_archive`, `job.no_file`, `job.storage_away`. */
export const downloadBackupArchive = defineRoute({
  name: 'downloadBackupArchive',
  method: 'GET',
  path: '/backup-archive/:id/file',
  access: 'report-backup:export',
  summary: 'The file of a backup',
  params: one,
  response: download,
});

/**
 * Says whether this installation has made the manifest of an archive. The browser compares the files with the manifest and
 * sends only the SHA-256 of the manifest and its seal. Works for all archives, also long after they were deleted.
 */
export const verifyBackupManifest = defineRoute({
  name: 'verifyBackupManifest',
  method: 'POST',
  path: '/backup-archive/verify',
  access: 'report-backup:view',
  summary: 'Whether the manifest of an archive is genuine',
  body: z.strictObject({ manifest: sha256, seal: z.string().max(200) }),
  response: z.object({ isGenuine: z.boolean() }),
});

/** Downloads the archive of a device whose data are or were released. Throws `backup.no_archive`, `job.no_file`. */
export const downloadDeviceArchive = defineRoute({
  name: 'downloadDeviceArchive',
  method: 'GET',
  path: '/device-archive/:number/file',
  access: 'report-backup:export',
  summary: 'The archive of an expired device',
  params: z.object({ number: deviceNumber }),
  response: download,
});

/** Content of `manifest.json` in an archive. */
export const archiveManifest = z.object({
  format: z.literal('isotherm-archive'),
  version: z.literal(1),
  title: z.string(),
  organization: z.string(),
  createdAt: moment,
  createdBy: z.string(),
  /** Range of the readings; the end is exclusive. */
  from: moment,
  to: moment,
  timeZone: z.string(),
  files: z.array(z.object({ name: z.string(), bytes: z.number().int(), sha256 })),
  devices: z.array(
    z.object({
      number: z.string(),
      name: z.string(),
      file: z.string(),
      channels: z.array(
        z.object({ id: z.number().int(), name: z.string(), unit: z.string(), readings: z.number().int() }),
      ),
    }),
  ),
  /** Sealed days of the channels: SHA-256 of the stored bytes at the time of the backup. */
  sealedDays: z.array(
    z.object({ channel: z.number().int(), day: z.string(), readings: z.number().int(), sha256 }),
  ),
});
export type ArchiveManifest = z.output<typeof archiveManifest>;

export const installationBackup = z.object({
  id: z.number().int(),
  startedAt: moment,
  /** Who started it; empty for the nightly one. */
  startedBy: z.string(),
  endedAt: moment.nullable(),
  fileName: z.string().nullable(),
  bytes: z.number().int().nullable(),
  /** When its checksum was found to be right; null if it was not verified. */
  verifiedAt: moment.nullable(),
  /** Message of the fault, for the operator. */
  error: z.string().nullable(),
});
export type InstallationBackup = z.output<typeof installationBackup>;

/** The last backups of the whole installation. They are kept on the server and are not downloaded. */
export const getInstallationBackups = defineRoute({
  name: 'getInstallationBackups',
  method: 'GET',
  path: '/installation-backup',
  access: 'setting-backup:installation',
  summary: 'The last backups of the installation',
  response: z.object({
    /** Number of backups that are kept; 0 if none are made. */
    keep: z.number().int(),
    items: z.array(installationBackup),
  }),
});

/** Starts a backup of the installation. Throws `installation_backup.running|off`. */
export const startInstallationBackup = defineRoute({
  name: 'startInstallationBackup',
  method: 'POST',
  path: '/installation-backup',
  access: 'setting-backup:installation',
  machines: false,
  summary: 'Back up the installation now',
  response: z.null(),
});
