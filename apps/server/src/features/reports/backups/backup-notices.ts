import type { ErrorCode } from '@isotherm/contracts/errors';
import type { Language } from '@isotherm/i18n/languages';
import type { Translate } from '@isotherm/i18n/translator';
import type { Clock } from '../../../platform/clock.ts';
import type { Tx } from '../../../platform/db/pool.ts';
import { wordError } from '../../../platform/http/error-words.ts';
import { momentFormat } from '../../../platform/local-time.ts';
import type { Messages } from '../../../platform/messages/messages.ts';
import { publishNotice } from '../../announcements/index.ts';
import type { RunError } from '../schedules/runs.repo.ts';
import { findFailedBackup } from './notices.repo.ts';

const MAILED_WITHIN_MS = 2 * 86_400_000;

/** Tells people that a backup has failed. Does nothing for reports. */
export type OnRunFailed = (tx: Tx, runId: number, error: RunError) => Promise<void>;

/**
 * Returns what tells people about a failed backup, in the transaction that records the failure: an e-mail to each recipient,
 * and an announcement that pops up in the consoles of those who can see the configuration.
 */
export function createBackupNotices(parts: {
  clock: Clock;
  translate: Translate;
  messages: Pick<Messages, 'canDeliver' | 'enqueueAll'>;
  consoleUrl: string | null;
}): OnRunFailed {
  const { clock, translate, messages, consoleUrl } = parts;
  return async (tx, runId, error) => {
    const run = await findFailedBackup(tx, runId);
    if (!run) return;
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
  };
}
