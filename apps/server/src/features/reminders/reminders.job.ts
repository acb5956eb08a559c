import { isToRemind } from '@isotherm/domain/reminders/reminder';
import { inWords } from '@isotherm/i18n/system-names';
import type { Translate } from '@isotherm/i18n/translator';
import { transaction } from '../../platform/db/pool.ts';
import type { Job } from '../../platform/jobs/jobs.ts';
import { type DueRow, listToRemind } from './due.repo.ts';
import { holdEnabled, listEnabled, noteReminded, type ReminderRow } from './reminders.repo.ts';
import { dayOf, type ReminderParts } from './reminders.service.ts';

/** Maximum number of items that an e-mail lists; for the rest it states the number. */
const MOST_NAMED = 40;

/**
 * Creates the job that sends one e-mail each morning per reminder with due items, before office hours in
 * China and Europe.
 */
export function createReminderJobs(
  parts: Omit<ReminderParts, 'audit' | 'clock'> & { translate: Translate },
): readonly Job[] {
  const { pool, messages, renewal } = parts;
  return [
    {
      name: 'expiry-reminders',
      cron: '0 0 * * *',
      atStart: true,
      async run() {
        // If no e-mails can be sent, no reminder must be recorded as sent.
        if (!messages.canDeliver('email')) return;
        const { expiredUntil, lapsedUntil } = await renewal.bounds();
        const failed: unknown[] = [];
        // A failure of one reminder does not affect the others.
        for (const { id } of await listEnabled(pool))
          await remind(parts, id, dayOf(expiredUntil), new Date(lapsedUntil)).catch((error: unknown) =>
            failed.push(error),
          );
        if (failed.length > 0) throw new AggregateError(failed, `${failed.length} reminders failed`);
      },
    },
  ];
}

/**
 * Sends a reminder. The e-mails and the record of their content are one transaction: after a crash they are
 * neither lost nor sent twice.
 */
async function remind(
  { pool, messages, translate }: Parameters<typeof createReminderJobs>[0],
  id: number,
  today: string,
  lapsedUntil: Date,
): Promise<void> {
  await transaction(pool, async (tx) => {
    const reminder = await holdEnabled(tx, id);
    if (!reminder) return;
    const due = await listToRemind(tx, id, {
      scope: reminder.organizationPath,
      kinds: reminder.kinds,
      lapsedUntil,
      until: dayOf(Date.parse(today), reminder.daysBefore),
    });
    const said = due.filter(({ dueOn, lastOn }) => isToRemind(reminder, dueOn, lastOn, today));
    if (said.length === 0) return;
    for (const recipient of reminder.recipients)
      await messages.enqueue(tx, {
        channel: 'email',
        recipient,
        template: 'expiry-reminder',
        params: {
          count: said.length,
          organization: reminder.organizationName,
          items: linesOf(translate, reminder, said),
        },
        language: reminder.language,
        organizationId: reminder.organizationId,
      });
    await noteReminded(tx, id, said, today);
  });
}

function linesOf(translate: Translate, { language }: ReminderRow, due: readonly DueRow[]): string {
  const lines = due.slice(0, MOST_NAMED).map(({ kind, name, of, organizationName, dueOn }) =>
    translate(language, 'reminders.line', {
      kind: translate(language, `reminders.kind.${kind}`),
      name,
      of: of === '' ? 'none' : inWords(of, language),
      organization: organizationName,
      day: dueOn,
    }),
  );
  const more = due.length - lines.length;
  if (more > 0) lines.push(translate(language, 'reminders.more-lines', { count: more }));
  return lines.join('\n');
}
