import { isWithinDailyLimit, MESSAGES_PER_DAY } from '@isotherm/domain/alarms/daily-limit';
import { GIVEN_UP_AFTER_MS, judgeRepeat } from '@isotherm/domain/alarms/notification';
import { onCallAt } from '@isotherm/domain/alarms/on-call';
import { type Person, type PersonType, personKey } from '@isotherm/domain/alarms/person';
import { quietUntil, respectsQuietHours } from '@isotherm/domain/alarms/quiet-hours';
import { closestLanguage } from '@isotherm/i18n/languages';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { Clock } from '../../../platform/clock.ts';
import { type Tx, transaction } from '../../../platform/db/pool.ts';
import type { Messages } from '../../../platform/messages/messages.ts';
import { loadSchedules } from '../on-call/on-call.repo.ts';
import { claimedOf, type Parcel, take } from './claims.ts';
import { type DayCount, insertNotices, lockDayCounts, saveDayCounts } from './daily-limit.repo.ts';
import { countAlarms, groupFactsOf, groupLetterParams } from './group-words.ts';
import { letterParams, saidOf } from './notification-words.ts';
import {
  type Claimed,
  type DueNotification,
  findReachable,
  insertGroup,
  type Reachable,
  saveClaimed,
} from './notifications.repo.ts';

const LETTERS_AT_ONCE = 200;
/** Interval at which a notification that waits for a person on call is tried. */
const COVER_CHECK_MS = 60_000;
/** Error of a notification that was dropped because too many were sent about its device on this day. */
const DAILY_LIMIT = 'daily limit';

/** A message that its recipient can get. */
interface Addressed {
  parcel: Parcel;
  person: Person;
  to: Reachable;
}

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

  /** Divides messages by whether their recipients can get them now. */
  async function address(tx: Tx, parcels: readonly Parcel[], now: number) {
    const persons = await personsOf(
      tx,
      parcels.map(([first]) => first),
      now,
    );
    const idsOf = (type: PersonType) =>
      persons.flatMap((person) => (person?.type === type ? [person.id] : []));
    const reachable = new Map(
      (await findReachable(tx, { receivers: idsOf('receivers'), accounts: idsOf('accounts') })).map(
        (each) => [personKey(each), each],
      ),
    );
    const addressed: Addressed[] = [];
    const other: Claimed[] = [];
    for (const [at, parcel] of parcels.entries()) {
      const person = persons[at] ?? null;
      const [first] = parcel;
      if (person === null) {
        for (const row of parcel)
          other.push(
            waitsForCover(row, now)
              ? { ...claimedOf(row, now + COVER_CHECK_MS), error: 'nobody on call' }
              : { ...claimedOf(row, row.firstDueAt), state: 'failed', error: 'nobody on call' },
          );
        continue;
      }
      const to = reachable.get(personKey(person));
      const error = !to
        ? 'recipient removed'
        : to.email === ''
          ? 'no e-mail address'
          : messages.canDeliver('email')
            ? null
            : 'no transport';
      if (!to || error !== null) {
        for (const row of parcel)
          other.push({ ...claimedOf(row, row.firstDueAt), state: 'failed', error: error ?? '', person });
        continue;
      }
      // Whoever is on call is notified at any time.
      const quiet =
        first.recipientType !== 'on-call' && respectsQuietHours(levelOf(parcel))
          ? quietUntil(to.quietHours, to.timeZone, now)
          : null;
      if (quiet === null) addressed.push({ parcel, person, to });
      else for (const row of parcel) other.push({ ...claimedOf(row, quiet), waits: 'quiet', person });
    }
    return { addressed, other };
  }

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
      const { addressed, other } = await address(tx, taken.parcels, now);
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

const levelOf = (rows: readonly DueNotification[]): number =>
  Math.max(...rows.map(({ facts, alarm }) => Math.max(facts.level, alarm.level)));

/** Returns the person whom each notification is for; null if nobody is on call or the schedule is deleted. */
async function personsOf(tx: Tx, rows: readonly DueNotification[], now: number): Promise<(Person | null)[]> {
  const ids = rows.flatMap(({ recipientType, recipientId }) =>
    recipientType === 'on-call' ? [recipientId] : [],
  );
  const schedules = ids.length === 0 ? new Map() : await loadSchedules(tx, ids, new Date(now));
  const onCall = new Map([...schedules].map(([id, schedule]) => [id, onCallAt(schedule, now).person]));
  return rows.map(({ recipientType, recipientId }) => {
    if (recipientType === 'url') return null;
    if (recipientType === 'on-call') return onCall.get(recipientId) ?? null;
    return { type: recipientType, id: recipientId };
  });
}

/**
 * While nobody is on call, the notification of an open alarm waits for the next person, for a day at most. Repeats
 * do not wait, because the next one follows.
 */
function waitsForCover({ kind, alarm, stepLevel, firstDueAt }: DueNotification, now: number): boolean {
  return (
    kind !== 'repeated' &&
    kind !== 'ended' &&
    // An escalation is told although the alarm is below the level of its step.
    judgeRepeat(alarm, kind === 'unacknowledged' ? Math.min(stepLevel, alarm.level) : stepLevel) !==
      'cancel' &&
    now - firstDueAt < GIVEN_UP_AFTER_MS
  );
}
