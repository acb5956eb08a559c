import { GIVEN_UP_AFTER_MS } from '@isotherm/domain/alarms/notification';
import { GROUPED_TO_LEVEL } from '@isotherm/domain/alarms/storm';
import { closestLanguage } from '@isotherm/i18n/languages';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { Clock } from '../../../platform/clock.ts';
import { type Tx, transaction } from '../../../platform/db/pool.ts';
import type { Messages, NewMessage } from '../../../platform/messages/messages.ts';
import { findLinkable } from '../links/acknowledge-links.repo.ts';
import type { MakeLink } from '../links/acknowledge-links.ts';
import { type FindTemplate, type OwnTexts, ownAlarmText } from '../templates/own-texts.ts';
import { type Addressed, address, levelOf } from './addressing.ts';
import { claimedOf, take } from './claims.ts';
import { limitPerDay } from './daily-limit.ts';
import { countAlarms, groupFactsOf, groupLetterParams } from './group-words.ts';
import { letterParams, saidOf } from './notification-words.ts';
import { type Claimed, insertGroup, saveClaimed } from './notifications.repo.ts';

const LETTERS_AT_ONCE = 200;

/**
 * Creates the function that passes due e-mails to the message outbox, in the transaction that claims them. It returns
 * true if more may be due.
 */
export function createLetters(options: {
  pool: pg.Pool;
  messages: Pick<Messages, 'canDeliver' | 'enqueue' | 'enqueueAll'>;
  clock: Clock;
  translate: Translate;
  consoleUrl: string | null;
  /** Makes the acknowledge links of e-mails; without it, they have none. */
  makeLink?: MakeLink;
  /** Texts of organisations; without it, all are built-in ones. */
  ownTexts?: OwnTexts | undefined;
}): () => Promise<boolean> {
  const { pool, messages, clock, translate, consoleUrl, ownTexts, makeLink = async () => null } = options;

  /** The e-mail to one recipient. Only alarms in `linkable` may have an acknowledge link. */
  async function letterOf(
    tx: Tx,
    { parcel, person, to }: Addressed,
    {
      groupId,
      linkable,
      find,
    }: { groupId: number | null; linkable: ReadonlySet<number>; find: FindTemplate | null },
  ): Promise<NewMessage> {
    const [first] = parcel;
    const language = closestLanguage(to.language);
    const reader = { language, timeZone: to.timeZone };
    const link =
      groupId === null && linkable.has(first.alarmId) ? await makeLink(tx, first, person, 'email') : null;
    // Messages about several alarms have the built-in text.
    const own =
      groupId === null
        ? ownAlarmText(
            find,
            { siteId: first.siteId, channel: 'email' },
            saidOf(first),
            reader,
            { consoleUrl, acknowledge: link },
            translate,
          )
        : null;
    return {
      channel: 'email',
      recipient: to.email,
      template: groupId === null ? 'alarm-notification' : 'alarm-group',
      params:
        groupId === null
          ? {
              ...letterParams(saidOf(first), reader, consoleUrl, translate),
              hasAcknowledgeLink: link === null ? 'no' : 'yes',
              acknowledgeLink: link ?? '',
            }
          : groupLetterParams(groupFactsOf(parcel), reader, consoleUrl, translate),
      ...(own ? { ownText: { subject: own.subject, text: own.body } } : {}),
      language,
      organizationId: to.organizationId,
      expiresAt: new Date(first.firstDueAt + GIVEN_UP_AFTER_MS),
      isUrgent: levelOf(parcel) > GROUPED_TO_LEVEL,
    };
  }

  /** Passes e-mails to the outbox, all in one statement. */
  async function send(tx: Tx, within: readonly Addressed[], now: number): Promise<Claimed[]> {
    const linkable = await findLinkable(
      tx,
      within.map(({ parcel: [first] }) => first.alarmId),
    );
    const find =
      (await ownTexts?.of(
        tx,
        within.map(({ parcel: [first] }) => first.siteId),
      )) ?? null;
    const letters: NewMessage[] = [];
    const groups: (number | null)[] = [];
    for (const each of within) {
      const { parcel } = each;
      const groupId =
        countAlarms(parcel) > 1
          ? await insertGroup(tx, parcel[0].siteId, groupFactsOf(parcel), new Date(now))
          : null;
      groups.push(groupId);
      letters.push(await letterOf(tx, each, { groupId, linkable, find }));
    }
    const ids = await messages.enqueueAll(tx, letters);
    return within.flatMap(({ parcel, person }, at) =>
      parcel.map(
        (row): Claimed => ({
          ...claimedOf(row, row.firstDueAt),
          state: 'sending',
          person,
          messageId: ids[at] ?? null,
          groupId: groups[at] ?? null,
        }),
      ),
    );
  }

  return () =>
    transaction(pool, async (tx) => {
      const now = clock.now();
      const taken = await take(tx, 'email', now, LETTERS_AT_ONCE);
      if (taken.parcels.length + taken.other.length === 0) return false;
      const { addressed, other } = await address(tx, taken.parcels, now, ({ email }) =>
        email === '' ? 'no e-mail address' : messages.canDeliver('email') ? null : 'no transport',
      );
      const { within, dropped } = await limitPerDay(tx, 'email', addressed, { messages, now });
      const sent = await send(tx, within, now);
      await saveClaimed(tx, [...taken.other, ...other, ...dropped, ...sent]);
      // Repeats go on after failures, but not before the end of quiet hours.
      const waiting = new Set(other.flatMap(({ id, waits }) => (waits === 'quiet' ? [id] : [])));
      await taken.follow(taken.parcels.flat().filter(({ id }) => !waiting.has(id)));
      return !taken.isAll;
    });
}
