import { MAX_BACKUP_DEVICES } from '@isotherm/contracts/backups';
import type { ErrorCode } from '@isotherm/contracts/errors';
import type { Language } from '@isotherm/i18n/languages';
import type { Translate } from '@isotherm/i18n/translator';
import type { Clock } from '../../../platform/clock.ts';
import { type AfterCommit, NOTHING_AFTER_COMMIT, type Tx } from '../../../platform/db/pool.ts';
import { wordError } from '../../../platform/http/error-words.ts';
import { momentFormat } from '../../../platform/local-time.ts';
import type { Messages } from '../../../platform/messages/messages.ts';
import type { BackupAlarms } from '../../alarms/index.ts';
import { publishNotice } from '../../announcements/index.ts';
import type { RunError } from '../schedules/runs.repo.ts';
import { listArchiveDevices } from './archive-devices.repo.ts';
import {
  type BackedUp,
  type FailedBackup,
  findBackedUp,
  findFailedBackup,
  listStillFailing,
} from './notices.repo.ts';

const MAILED_WITHIN_MS = 2 * 86_400_000;

/** Tells people how backups ended, in the transaction that records it. `failed` does nothing for reports. */
export interface BackupNotices {
  failed(tx: Tx, runId: number, error: RunError): Promise<AfterCommit>;
  made(tx: Tx, scheduleId: number): Promise<AfterCommit>;
}

/**
 * A failed backup is an alarm until a backup of the same devices has been made. Besides, each recipient gets an e-mail, and
 * an announcement pops up in the consoles of those who can see the configuration.
 */
export function createBackupNotices(parts: {
  clock: Clock;
  translate: Translate;
  messages: Pick<Messages, 'canDeliver' | 'enqueueAll'>;
  consoleUrl: string | null;
  alarms: BackupAlarms;
}): BackupNotices {
  const { clock, translate, messages, consoleUrl, alarms } = parts;

  async function devicesOf(tx: Tx, { path, deviceIds }: BackedUp): Promise<number[]> {
    const devices = await listArchiveDevices(tx, path, deviceIds, MAX_BACKUP_DEVICES);
    return devices.map(({ id }) => id);
  }

  async function publish(tx: Tx, run: FailedBackup, error: RunError): Promise<void> {
    const { organizationId, recipients, timeZone } = run;
    const language: Language = run.language;
    const format = momentFormat(language, timeZone, 'medium', 'short');
    const params = {
      name: run.title,
      organization: run.organizationName,
      from: format.format(run.from),
      to: format.format(run.to),
      zone: timeZone,
      error: wordError(
        { code: error.code as ErrorCode, params: error.values as Record<string, string | number> },
        language,
        translate,
      ),
      link: consoleUrl === null ? '' : `${consoleUrl}/report/backup`,
      hasLink: consoleUrl === null ? 'no' : 'yes',
    };
    const at = clock.now();
    if (messages.canDeliver('email'))
      await messages.enqueueAll(
        tx,
        recipients.map((recipient) => ({
          channel: 'email' as const,
          recipient,
          template: 'backup-failed' as const,
          params,
          language,
          organizationId,
          expiresAt: new Date(at + MAILED_WITHIN_MS),
        })),
      );
    await publishNotice(
      tx,
      {
        organizationId,
        title: translate(language, 'messages.backup-failed.subject', params),
        text: translate(language, 'messages.backup-failed.text', params),
        email: false,
        permission: 'setting-backup:view',
      },
      new Date(at),
    );
  }

  return {
    async failed(tx, runId, error) {
      const run = await findFailedBackup(tx, runId);
      if (!run) return NOTHING_AFTER_COMMIT;
      await publish(tx, run, error);
      return alarms.raise(tx, await devicesOf(tx, run));
    },
    async made(tx, scheduleId) {
      const backedUp = await findBackedUp(tx, scheduleId);
      if (!backedUp) return NOTHING_AFTER_COMMIT;
      const deviceIds = await devicesOf(tx, backedUp);
      const failing = new Set(await listStillFailing(tx, deviceIds, scheduleId));
      return alarms.end(
        tx,
        deviceIds.filter((id) => !failing.has(id)),
      );
    },
  };
}
