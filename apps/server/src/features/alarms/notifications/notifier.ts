import {
  GIVEN_UP_AFTER_MS,
  judgeRepeat,
  LATE_AFTER_MS,
  nextRepeat,
} from '@isotherm/domain/alarms/notification';
import { onCallAt } from '@isotherm/domain/alarms/on-call';
import type { Person, PersonType } from '@isotherm/domain/alarms/person';
import { closestLanguage } from '@isotherm/i18n/languages';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { Clock } from '../../../platform/clock.ts';
import { type Tx, transaction } from '../../../platform/db/pool.ts';
import type { Logger } from '../../../platform/log.ts';
import type { Messages } from '../../../platform/messages/messages.ts';
import { loadSchedules } from '../on-call/on-call.repo.ts';
import { letterParams, type Said } from './notification-words.ts';
import {
  type Claimed,
  claimDue,
  type DueNotification,
  findReachable,
  insertNextRepeats,
  languagesOfPolicies,
  saveClaimed,
} from './notifications.repo.ts';
import type { Push, UrlPush } from './url-push.ts';

const LOOK_EVERY_MS = 1_000;
const LETTERS_AT_ONCE = 200;
const PUSHES_AT_ONCE = 16;
/**
 * Longer than an attempt may take. When the lease expires, another process tries again, because this one has
 * crashed.
 */
const LEASE_MS = 60_000;
/** Interval at which a notification that waits for a person on call is tried. */
const COVER_CHECK_MS = 60_000;

/**
 * Delivers the due notifications of alarms, e-mails through the message outbox. Any number of workers may
 * run it: each row is claimed by one of them.
 */
export interface Notifier {
  start(): void;
  /** Delivers everything that is due now. Resolves when the URL pushes have been answered, too. */
  deliverDue(): Promise<void>;
  stop(): Promise<void>;
}

export function createNotifier(options: {
  pool: pg.Pool;
  messages: Pick<Messages, 'canDeliver' | 'enqueue'>;
  urlPush: UrlPush;
  clock: Clock;
  translate: Translate;
  log: Logger;
  /** Address of the console for links in e-mails. */
  consoleUrl: string | null;
}): Notifier {
  const { pool, messages, urlPush, clock, translate, log, consoleUrl } = options;
  const pushing = new Set<Promise<void>>();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | null = null;
  /** True if more pushes are due than may run at once. */
  let isBehind = false;

  /**
   * Returns the due notifications that are sent now (`sent`), and repeats that are cancelled because they
   * are no longer needed or postponed while the level is lower (`other`). Schedules the next repeats.
   */
  async function takeRepeats(tx: Tx, due: readonly DueNotification[], now: number) {
    const sent: DueNotification[] = [];
    const other: Claimed[] = [];
    const next: { id: number; dueAt: number }[] = [];
    for (const row of due) {
      const late = row.late || now - row.firstDueAt > LATE_AFTER_MS;
      if (row.kind !== 'repeated' || row.repeatMs === null) {
        sent.push({ ...row, late });
        continue;
      }
      const verdict = judgeRepeat(row.alarm, row.stepLevel);
      const dueAt = nextRepeat(row.firstDueAt, row.repeatMs, now);
      if (verdict === 'send') {
        sent.push({ ...row, late, facts: row.factsNow });
        next.push({ id: row.id, dueAt });
      } else if (verdict === 'wait') other.push({ ...claimedOf(row, dueAt), firstDueAt: dueAt });
      else other.push({ ...claimedOf(row, row.firstDueAt), state: 'cancelled' });
    }
    if (next.length > 0) await insertNextRepeats(tx, next);
    return { sent, other };
  }

  const claimedOf = ({ id, firstDueAt, late, facts }: DueNotification, dueAt: number): Claimed => ({
    id,
    state: 'pending',
    dueAt,
    firstDueAt,
    late,
    isAttempt: false,
    facts,
    messageId: null,
    error: '',
    person: null,
  });

  /**
   * Passes e-mails to the message outbox, in the transaction that claims them. Returns true if more may be
   * due.
   */
  async function deliverLetters(): Promise<boolean> {
    return transaction(pool, async (tx) => {
      const now = clock.now();
      const due = await claimDue(tx, 'email', new Date(now), LETTERS_AT_ONCE);
      if (due.length === 0) return false;
      const { sent, other } = await takeRepeats(tx, due, now);
      const persons = await personsOf(tx, sent, now);
      const idsOf = (type: PersonType) =>
        persons.flatMap((person) => (person?.type === type ? [person.id] : []));
      const reachable = await findReachable(tx, {
        receivers: idsOf('receivers'),
        accounts: idsOf('accounts'),
      });
      const claimed = [...other];
      for (const [at, row] of sent.entries()) {
        const person = persons[at] ?? null;
        const known = { ...claimedOf(row, row.firstDueAt), person };
        if (person === null) {
          claimed.push(
            waitsForCover(row, now)
              ? { ...known, dueAt: now + COVER_CHECK_MS, error: 'nobody on call' }
              : { ...known, state: 'failed', error: 'nobody on call' },
          );
          continue;
        }
        const to = reachable.find(({ type, id }) => type === person.type && id === person.id);
        const error = !to
          ? 'recipient removed'
          : to.email === ''
            ? 'no e-mail address'
            : messages.canDeliver('email')
              ? null
              : 'no transport';
        if (!to || error !== null) {
          claimed.push({ ...known, state: 'failed', error: error ?? '' });
          continue;
        }
        const language = closestLanguage(to.language);
        const messageId = await messages.enqueue(tx, {
          channel: 'email',
          recipient: to.email,
          template: 'alarm-notification',
          params: letterParams(saidOf(row), { language, timeZone: to.timeZone }, consoleUrl, translate),
          language,
          organizationId: to.organizationId,
          expiresAt: new Date(row.firstDueAt + GIVEN_UP_AFTER_MS),
        });
        claimed.push({ ...known, state: 'sending', messageId });
      }
      await saveClaimed(tx, claimed);
      return due.length === LETTERS_AT_ONCE;
    });
  }

  /** Leases URL pushes that are due and starts an attempt for each. Returns true if more may be due. */
  async function deliverPushes(): Promise<boolean> {
    const free = PUSHES_AT_ONCE - pushing.size;
    if (free <= 0) return false;
    const { pushes, isAll } = await transaction(pool, async (tx) => {
      const now = clock.now();
      const due = await claimDue(tx, 'url-push', new Date(now), free);
      const { sent, other } = await takeRepeats(tx, due, now);
      await saveClaimed(tx, [
        ...other,
        ...sent.map((row) => ({ ...claimedOf(row, now + LEASE_MS), isAttempt: true })),
      ]);
      const languages = await languagesOfPolicies(
        tx,
        sent.map(({ policyId }) => policyId),
      );
      return {
        pushes: sent.map(
          (row): Push => ({
            id: row.id,
            policyId: row.policyId,
            url: row.url,
            language: closestLanguage(languages.get(row.policyId) ?? ''),
            said: saidOf(row),
            firstDueAt: row.firstDueAt,
            attempts: row.attempts + 1,
          }),
        ),
        isAll: due.length < free,
      };
    });
    for (const push of pushes) {
      const attempt = urlPush(push)
        .catch((error: Error) => log.warn({ error: error.message }, 'result of a URL push was not stored'))
        .finally(() => {
          pushing.delete(attempt);
          if (isBehind && timer) start();
        });
      pushing.add(attempt);
    }
    isBehind = !isAll;
    return isBehind;
  }

  async function look(): Promise<void> {
    while (await deliverLetters());
    await deliverPushes();
  }

  function start(): void {
    running ??= look()
      .catch((error: Error) =>
        log.warn({ error: error.message }, 'notifications of alarms were not delivered'),
      )
      .finally(() => {
        running = null;
      });
  }

  return {
    start() {
      start();
      timer = setInterval(start, LOOK_EVERY_MS);
    },
    async deliverDue() {
      while (await deliverLetters());
      for (let isMore = true; isMore; ) {
        isMore = await deliverPushes();
        await Promise.all(pushing);
      }
    },
    async stop() {
      clearInterval(timer);
      timer = undefined;
      await running;
      await Promise.all(pushing);
    },
  };
}

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
    judgeRepeat(alarm, stepLevel) !== 'cancel' &&
    now - firstDueAt < GIVEN_UP_AFTER_MS
  );
}

const saidOf = ({ alarmId, kind, late, facts }: DueNotification): Said => ({ alarmId, kind, late, facts });
