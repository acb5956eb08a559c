import { KEY_REMINDER_DAYS, keyReminder } from '@isotherm/domain/reminders/key-reminder';
import { daysBetween } from '@isotherm/domain/reminders/reminder';
import { closestLanguage } from '@isotherm/i18n/languages';
import type pg from 'pg';
import type { Clock } from '../../platform/clock.ts';
import { transaction } from '../../platform/db/pool.ts';
import type { Job } from '../../platform/jobs/jobs.ts';
import type { Messages } from '../../platform/messages/messages.ts';
import { type EndingKey, listEndingKeys, noteKeyReminded } from './ending-keys.repo.ts';
import { dayOf } from './reminders.service.ts';

const DAY_MS = 86_400_000;
const RENEW = 'management-authorizations:create';

/**
 * Creates the job that sends e-mails 30 and 7 days before an API key ends to users who may renew it. A
 * network whose key has ended loses readings without notice.
 */
export function createEndingKeysJob({
  pool,
  messages,
  clock,
}: {
  pool: pg.Pool;
  messages: Pick<Messages, 'canDeliver' | 'enqueue'>;
  clock: Clock;
}): Job {
  async function remind(key: EndingKey, today: string): Promise<void> {
    const days = daysBetween(today, dayOf(key.expiresAt.getTime()));
    const stage = keyReminder(days, key.validDays);
    if (stage === null || key.reminded.includes(stage)) return;
    await transaction(pool, async (tx) => {
      if (!(await noteKeyReminded(tx, key, stage))) return;
      for (const { email, language } of key.people)
        await messages.enqueue(tx, {
          channel: 'email',
          recipient: email,
          template: 'authorization-reminder',
          params: {
            name: key.name,
            prefix: key.prefix,
            organization: key.organizationName,
            day: dayOf(key.expiresAt.getTime()),
            days,
          },
          language: closestLanguage(language),
          organizationId: key.organizationId,
        });
    });
  }

  return {
    name: 'ending-keys',
    cron: '0 0 * * *',
    atStart: true,
    async run() {
      // If no e-mails can be sent, no reminder must be recorded as sent.
      if (!messages.canDeliver('email')) return;
      const now = clock.now();
      const until = new Date(now + (Math.max(...KEY_REMINDER_DAYS) + 1) * DAY_MS);
      const keys = await listEndingKeys(pool, new Date(now), until, RENEW);
      const failed: unknown[] = [];
      // A failure for one key does not affect the others.
      for (const key of keys) await remind(key, dayOf(now)).catch((error: unknown) => failed.push(error));
      if (failed.length > 0)
        throw new AggregateError(failed, `${failed.length} reminders of API keys failed`);
    },
  };
}
