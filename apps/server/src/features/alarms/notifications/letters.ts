import { isWithinDailyLimit, MESSAGES_PER_DAY } from '@isotherm/domain/alarms/daily-limit';
import { GIVEN_UP_AFTER_MS } from '@isotherm/domain/alarms/notification';
import { type Person, personKey } from '@isotherm/domain/alarms/person';
import { closestLanguage } from '@isotherm/i18n/languages';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { Clock } from '../../../platform/clock.ts';
import { type Tx, transaction } from '../../../platform/db/pool.ts';
import type { Messages } from '../../../platform/messages/messages.ts';
import { type Addressed, address, levelOf } from './addressing.ts';
import { claimedOf, take } from './claims.ts';
import { type DayCount, insertNotices, lockDayCounts, saveDayCounts } from './daily-limit.repo.ts';
import { countAlarms, groupFactsOf, groupLetterParams } from './group-words.ts';
import { letterParams, saidOf } from './notification-words.ts';
import {
  type Claimed,
  type DueNotification,
  insertGroup,
  type Reachable,
  saveClaimed,
} from './notifications.repo.ts';

const LETTERS_AT_ONCE = 200;
/** Error of a notification that was dropped because too many were sent about its device on this day. */
const DAILY_LIMIT = 'daily limit';

/**
 * Creates the function that passes due e-mails to the message outbox, in the transaction that claims them. It returns
 * true if more may be due.
 */
export function createLetters(options: {
  pool: pg.Pool;
  messages: Pick<Messages, 'canDeliver' | 'enqueue'>;
  clock: Clock;
  translate: Translate;
  consoleUrl: string | null;
}): () => Promise<boolean> {
  const { pool, messages, clock, translate, consoleUrl } = options;

  /** Leaves out what is beyond the daily limit of its device; its recipients are told once a day. */
  async function limit(tx: Tx, addressed: readonly Addressed[], now: number) {
    const counts = await lockDayCounts(
      tx,
      'email',
      addressed.flatMap(({ parcel }) => parcel.map(({ deviceId }) => deviceId)),
      new Date(now),
    );
    const within: Addressed[] = [];
    const dropped: Claimed[] = [];
    const noticed: { count: DayCount; person: Person; to: Reachable }[] = [];
    for (const { parcel, person, to } of addressed) {
      const rows: DueNotification[] = [];
      for (const deviceId of new Set(parcel.map((row) => row.deviceId))) {
        const ofDevice = parcel.filter((row) => row.deviceId === deviceId);
        const count = counts.get(deviceId) as DayCount;
        if (isWithinDailyLimit(count.sent, levelOf(ofDevice))) {
          count.sent += 1;
          rows.push(...ofDevice);
          continue;
        }
        for (const row of ofDevice)
          dropped.push({ ...claimedOf(row, row.firstDueAt), state: 'failed', error: DAILY_LIMIT, person });
        noticed.push({ count, person, to });
      }
      const [first, ...rest] = rows;
      if (first) within.push({ parcel: [first, ...rest], person, to });
    }
    await saveDayCounts(tx, 'email', [...counts.values()]);
    const fresh = await insertNotices(
      tx,
      'email',
      noticed.map(({ count, person }) => ({ ...count, person })),
    );
    for (const { count, person, to } of noticed) {
      if (!fresh.delete(`${count.deviceId} ${personKey(person)}`)) continue;
      await messages.enqueue(tx, {
        channel: 'email',
        recipient: to.email,
        template: 'alarm-limit',
        params: { device: count.device, limit: MESSAGES_PER_DAY, day: count.day },
        language: closestLanguage(to.language),
        organizationId: to.organizationId,
        expiresAt: new Date(now + GIVEN_UP_AFTER_MS),
      });
    }
    return { within, dropped };
  }

  async function send(tx: Tx, { parcel, person, to }: Addressed, now: number): Promise<Claimed[]> {
    const [first] = parcel;
    const language = closestLanguage(to.language);
    const reader = { language, timeZone: to.timeZone };
    const group = countAlarms(parcel) > 1 ? groupFactsOf(parcel) : null;
    const groupId = group && (await insertGroup(tx, first.siteId, group, new Date(now)));
    const messageId = await messages.enqueue(tx, {
      channel: 'email',
      recipient: to.email,
      template: group ? 'alarm-group' : 'alarm-notification',
      params: group
        ? groupLetterParams(group, reader, consoleUrl, translate)
        : letterParams(saidOf(first), reader, consoleUrl, translate),
      language,
      organizationId: to.organizationId,
      expiresAt: new Date(first.firstDueAt + GIVEN_UP_AFTER_MS),
    });
    return parcel.map((row) => ({
      ...claimedOf(row, row.firstDueAt),
      state: 'sending',
      person,
      messageId,
      groupId,
    }));
  }

  return () =>
    transaction(pool, async (tx) => {
      const now = clock.now();
      const taken = await take(tx, 'email', now, LETTERS_AT_ONCE);
      if (taken.parcels.length + taken.other.length === 0) return false;
      const { addressed, other } = await address(tx, taken.parcels, now, ({ email }) =>
        email === '' ? 'no e-mail address' : messages.canDeliver('email') ? null : 'no transport',
      );
      const { within, dropped } = await limit(tx, addressed, now);
      const sent: Claimed[] = [];
      for (const each of within) sent.push(...(await send(tx, each, now)));
      await saveClaimed(tx, [...taken.other, ...other, ...dropped, ...sent]);
      // Repeats go on after failures, but not before the end of quiet hours.
      const waiting = new Set(other.flatMap(({ id, waits }) => (waits === 'quiet' ? [id] : [])));
      await taken.follow(taken.parcels.flat().filter(({ id }) => !waiting.has(id)));
      return !taken.isAll;
    });
}
