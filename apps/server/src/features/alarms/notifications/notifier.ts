import type { NotificationChannel } from '@isotherm/domain/alarms/graded-policy';
import {
  ESCALATION_CHECK_MS,
  GIVEN_UP_AFTER_MS,
  judgeEscalation,
  judgeRepeat,
  LATE_AFTER_MS,
  nextRepeat,
} from '@isotherm/domain/alarms/notification';
import { onCallAt } from '@isotherm/domain/alarms/on-call';
import type { Person, PersonType } from '@isotherm/domain/alarms/person';
import { type Hold, judgeEnd, judgeHold, type SuppressionWindow } from '@isotherm/domain/alarms/suppression';
import { closestLanguage } from '@isotherm/i18n/languages';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { Clock } from '../../../platform/clock.ts';
import { type Tx, transaction } from '../../../platform/db/pool.ts';
import type { Logger } from '../../../platform/log.ts';
import type { Messages } from '../../../platform/messages/messages.ts';
import { loadSchedules } from '../on-call/on-call.repo.ts';
import { findReaching, lockActiveWindows } from '../suppressions/windows.repo.ts';
import { letterParams, type Said } from './notification-words.ts';
import {
  type Claimed,
  claimDue,
  claimEscalations,
  type DueNotification,
  findReachable,
  insertNextRepeats,
  languagesOfSources,
  saveClaimed,
  saveEscalations,
} from './notifications.repo.ts';
import type { Push, UrlPush } from './url-push.ts';

const LOOK_EVERY_MS = 1_000;
const LETTERS_AT_ONCE = 200;
const ESCALATIONS_AT_ONCE = 200;
const PUSHES_AT_ONCE = 16;
/**
 * Longer than an attempt may take. When the lease expires, another process tries again, because this one has
 * crashed.
 */
const LEASE_MS = 60_000;
/** Interval at which a notification that waits for a person on call is tried. */
const COVER_CHECK_MS = 60_000;
/**
 * Interval at which a notification that a suppression window holds back is judged again, because its asset may
 * have left what the window covers.
 */
const HELD_CHECK_MS = 60_000;
/** Largest number of claims of URL pushes in one transaction. */
const TURNS = 50;
/** Error of a notification that was dropped because of a suppression window. */
const SUPPRESSED = 'suppressed';

type Verdict = Hold | { verdict: 'wait' };
const SEND: Verdict = { verdict: 'send' };

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
   * Claims due notifications of a channel. Returns those that are sent now (`sent`), and as `other` those that
   * are held back or dropped because of suppression windows, and repeats that are cancelled because they are
   * no longer needed or postponed while the level is lower. Schedules the next repeats.
   */
  async function take(tx: Tx, channel: NotificationChannel, now: number, most: number) {
    const windows = await lockActiveWindows(tx, channel, new Date(now));
    const due = await claimDue(tx, channel, new Date(now), most);
    const holds = await judgeHolds(tx, due, windows, now);
    const sent: DueNotification[] = [];
    const other: Claimed[] = [];
    const next: { id: number; dueAt: number }[] = [];
    /** Recipients who are sent now what a window has held back. */
    const released = new Set<string>();
    for (const [at, row] of due.entries()) {
      const hold = holds[at] ?? SEND;
      const needed = row.kind === 'repeated' ? judgeRepeat(row.alarm, row.stepLevel) : 'send';
      if (needed === 'cancel') other.push({ ...claimedOf(row, row.firstDueAt), state: 'cancelled' });
      else if (needed === 'wait') {
        const dueAt = nextRepeat(row.firstDueAt, row.repeatMs ?? 0, now);
        other.push({ ...claimedOf(row, dueAt), firstDueAt: dueAt });
      } else if (hold.verdict !== 'send') other.push(heldOf(row, hold, now));
      else {
        const firstDueAt = row.held ? now : row.firstDueAt;
        const late = row.held || row.late || now - row.firstDueAt > LATE_AFTER_MS;
        if (row.kind !== 'repeated' || row.repeatMs === null) {
          if (row.held) released.add(recipientOf(row));
          sent.push({ ...row, late, firstDueAt });
          continue;
        }
        // A repeat is due one interval after what it repeats, also if that was held back.
        const repeatedAt = released.has(recipientOf(row)) ? now : row.releasedAt;
        const earliest = repeatedAt === null ? now : repeatedAt + row.repeatMs;
        if (earliest > now) {
          other.push({ ...claimedOf(row, earliest), firstDueAt: earliest });
          continue;
        }
        sent.push({ ...row, late, firstDueAt, facts: row.factsNow });
        next.push({ id: row.id, dueAt: nextRepeat(row.firstDueAt, row.repeatMs, now) });
      }
    }
    if (next.length > 0) await insertNextRepeats(tx, next);
    return { sent, other, isAll: due.length < most };
  }

  const claimedOf = ({ id, firstDueAt, late, facts, heldBy }: DueNotification, dueAt: number): Claimed => ({
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
    suppressionId: heldBy?.id ?? null,
    held: false,
  });

  /** State of a notification that is held back, dropped, or waits until another worker has judged what comes before. */
  function heldOf(row: DueNotification, hold: Exclude<Verdict, { verdict: 'send' }>, now: number): Claimed {
    switch (hold.verdict) {
      case 'hold':
        return {
          ...claimedOf(row, Math.min(hold.until, now + HELD_CHECK_MS)),
          suppressionId: hold.by,
          held: true,
        };
      case 'drop':
        return {
          ...claimedOf(row, row.firstDueAt),
          state: 'cancelled',
          error: SUPPRESSED,
          suppressionId: hold.by,
        };
      case 'wait':
        return claimedOf(row, now + LOOK_EVERY_MS);
    }
  }

  /** Turns escalations that are due into notifications of their recipients. Returns true if more may be due. */
  async function escalate(): Promise<boolean> {
    return transaction(pool, async (tx) => {
      const now = clock.now();
      const due = await claimEscalations(tx, new Date(now), ESCALATIONS_AT_ONCE);
      if (due.length === 0) return false;
      const judged = due.map((row) => {
        const verdict = judgeEscalation(row.alarm, row);
        return {
          id: row.id,
          state: ({ send: 'sent', wait: 'pending', cancel: 'cancelled' } as const)[verdict],
          dueAt: verdict === 'wait' ? now + ESCALATION_CHECK_MS : row.firstDueAt,
          late: row.late || (verdict === 'send' && now - row.firstDueAt > LATE_AFTER_MS),
        };
      });
      await saveEscalations(tx, judged, new Date(now));
      return due.length === ESCALATIONS_AT_ONCE;
    });
  }

  /**
   * Passes e-mails to the message outbox, in the transaction that claims them. Returns true if more may be
   * due.
   */
  async function deliverLetters(): Promise<boolean> {
    return transaction(pool, async (tx) => {
      const now = clock.now();
      const { sent, other, isAll } = await take(tx, 'email', now, LETTERS_AT_ONCE);
      if (sent.length + other.length === 0) return false;
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
      return !isAll;
    });
  }

  /** Leases URL pushes that are due and starts an attempt for each. Returns true if more may be due. */
  async function deliverPushes(): Promise<boolean> {
    const free = PUSHES_AT_ONCE - pushing.size;
    if (free <= 0) return false;
    const { pushes, isAll } = await transaction(pool, async (tx) => {
      const now = clock.now();
      const sent: DueNotification[] = [];
      let isAll = false;
      // What is held back takes no place of those that are sent.
      for (let turn = 0; turn < TURNS && !isAll && sent.length < free; turn += 1) {
        const taken = await take(tx, 'url-push', now, free - sent.length);
        await saveClaimed(tx, [
          ...taken.other,
          ...taken.sent.map((row) => ({ ...claimedOf(row, now + LEASE_MS), isAttempt: true })),
        ]);
        sent.push(...taken.sent);
        isAll = taken.isAll;
      }
      const ofPolicies = await languagesOfSources(
        tx,
        'alarm_policy',
        sent.map(({ policyId }) => policyId),
      );
      const ofPlans = await languagesOfSources(
        tx,
        'alarm_escalation_plan',
        sent.map(({ planId }) => planId),
      );
      return {
        pushes: sent.map(
          (row): Push => ({
            id: row.id,
            policyId: row.policyId,
            planId: row.planId,
            url: row.url,
            language: closestLanguage(ofPolicies.get(row.policyId) ?? ofPlans.get(row.planId) ?? ''),
            said: saidOf(row),
            firstDueAt: row.firstDueAt,
            attempts: row.attempts + 1,
          }),
        ),
        isAll,
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
    while (await escalate());
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
      while (await escalate());
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

/** Identifies the recipient of an alarm within a notification channel. */
const recipientOf = ({ alarmId, recipientType, recipientId, url }: DueNotification): string =>
  [alarmId, recipientType, recipientId, url].join(' ');

/** Judges claimed notifications by the active windows. Ends are judged after what was sent before them. */
async function judgeHolds(
  tx: Tx,
  due: readonly DueNotification[],
  active: readonly SuppressionWindow[],
  now: number,
): Promise<Verdict[]> {
  const reaching =
    active.length === 0 || due.length === 0
      ? new Map<number, number[]>()
      : await findReaching(
          tx,
          due.map(({ alarmId }) => alarmId),
          active.map(({ id }) => id),
        );
  const windowsOf = ({ alarmId }: DueNotification) =>
    active.filter(({ id }) => reaching.get(alarmId)?.includes(id));
  const judged = due.map((row): Verdict | null =>
    row.kind === 'ended'
      ? null
      : judgeHold(
          { kind: row.kind, level: row.facts.level, heldBy: row.held ? row.heldBy : null },
          row.alarm,
          windowsOf(row),
          now,
        ),
  );
  return due.map((row, at) => {
    const own = judged[at];
    if (own) return own;
    const before = due.flatMap((each, index) => {
      const verdict = judged[index];
      return verdict && each.kind !== 'repeated' && recipientOf(each) === recipientOf(row) ? [verdict] : [];
    });
    const held = before.find((verdict) => 'by' in verdict);
    const { isTold = false, isUnsettled = false, heldBy = null } = row.earlier ?? {};
    return judgeEnd(
      {
        isTold: isTold || before.some(({ verdict }) => verdict === 'send'),
        isUnsettled: isUnsettled && before.length === 0,
        heldBy: held?.by ?? heldBy,
      },
      row.alarm,
      windowsOf(row),
      now,
    );
  });
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
    // An escalation is told although the alarm is below the level of its step.
    judgeRepeat(alarm, kind === 'unacknowledged' ? Math.min(stepLevel, alarm.level) : stepLevel) !==
      'cancel' &&
    now - firstDueAt < GIVEN_UP_AFTER_MS
  );
}

const saidOf = ({ alarmId, kind, late, facts }: DueNotification): Said => ({ alarmId, kind, late, facts });
