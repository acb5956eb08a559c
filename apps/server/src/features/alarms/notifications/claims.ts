import type { NotificationChannel } from '@isotherm/domain/alarms/graded-policy';
import { judgeRepeat, LATE_AFTER_MS, nextRepeat } from '@isotherm/domain/alarms/notification';
import { GROUP_WINDOW_MS, GROUPED_TO_LEVEL } from '@isotherm/domain/alarms/storm';
import { type Hold, judgeEnd, judgeHold, type SuppressionWindow } from '@isotherm/domain/alarms/suppression';
import type { Tx } from '../../../platform/db/pool.ts';
import { findReaching, lockActiveWindows } from '../suppressions/windows.repo.ts';
import { claimDue, isAnyDue } from './claim-due.repo.ts';
import { countAlarms, topicOf } from './group-words.ts';
import {
  type Claimed,
  type DueNotification,
  insertNextRepeats,
  lockWindows,
  setWindows,
  windowKey,
} from './notifications.repo.ts';

export const LOOK_EVERY_MS = 1_000;
/**
 * Interval at which a notification that a suppression window holds back is judged again, because its asset may
 * have left what the window covers.
 */
const HELD_CHECK_MS = 60_000;
/** Largest number of notifications that one transaction claims for messages about the same sites. */
const MOST_OF_SITES = 20_000;
/** Error of a notification that was dropped because of a suppression window. */
const SUPPRESSED = 'suppressed';
/** Error of a notification that was dropped because it no longer mattered after the quiet hours of its recipient. */
export const QUIET = 'quiet hours';

/** Error of a notification that was not sent because the balance was not enough. */
export const UNPAID = 'balance';

type Verdict = Hold | { verdict: 'wait' } | { verdict: 'quiet' } | { verdict: 'unpaid' };
const SEND: Verdict = { verdict: 'send' };

/** Notifications that are sent as one message. */
export type Parcel = [DueNotification, ...DueNotification[]];

export interface Taken {
  parcels: Parcel[];
  /** What is held back, dropped or postponed. */
  other: Claimed[];
  /** False if more may be due. */
  isAll: boolean;
  /**
   * Schedules the repeats of notifications that are sent now, and lets others about their sites wait for the next
   * message.
   */
  follow(sent: readonly DueNotification[]): Promise<void>;
}

const nothing = (): Taken => ({ parcels: [], other: [], isAll: true, follow: async () => undefined });

/**
 * Claims due notifications of a notification channel, judges each, and puts those that are sent now together to
 * messages.
 */
export async function take(tx: Tx, channel: NotificationChannel, now: number, most: number): Promise<Taken> {
  if (!(await isAnyDue(tx, channel, new Date(now)))) return nothing();
  const windows = await lockActiveWindows(tx, new Date(now));
  const due = await claimDue(tx, channel, new Date(now), most);
  const isAll = due.length < most;
  if (!isAll) {
    // A message contains all that is due about its site.
    const grouped = due.filter(isGrouped);
    if (grouped.length > 0) due.push(...(await claimDue(tx, channel, new Date(now), MOST_OF_SITES, grouped)));
  }
  const judged = judgeClaimed(due, await judgeHolds(tx, due, windows, now), now);
  const other = judged.other;
  const grouped = judged.sent.filter(isGrouped);
  const closing = grouped.length === 0 ? new Map() : await lockWindows(tx, channel, grouped);
  /** Times from which the next repeats are counted; what was held back is sent with another time. */
  const dueFrom = new Map(due.map(({ id, firstDueAt }) => [id, firstDueAt]));
  const sent: DueNotification[] = [];
  for (const row of judged.sent) {
    const closesAt = isGrouped(row) ? (closing.get(windowKey(row)) ?? 0) : 0;
    // Nobody waits for more than one window, also if several workers share what is due.
    if (closesAt > now && row.waits !== 'group' && row.waits !== 'balance')
      other.push({ ...claimedOf(row, closesAt), waits: 'group' });
    else sent.push(row);
  }
  return {
    parcels: parcelsOf(sent),
    other,
    isAll,
    async follow(followed) {
      const repeats = followed.flatMap(({ id, kind, repeatMs, firstDueAt }) =>
        kind === 'repeated' && repeatMs !== null
          ? [{ id, dueAt: nextRepeat(dueFrom.get(id) ?? firstDueAt, repeatMs, now) }]
          : [],
      );
      if (repeats.length > 0) await insertNextRepeats(tx, repeats);
      const closed = followed.filter(isGrouped);
      if (closed.length > 0) await setWindows(tx, channel, closed, new Date(now + GROUP_WINDOW_MS));
    },
  };
}

/**
 * True if the notification is sent with others about its site. Level 5 is sent alone and at once, a message that was
 * begun keeps its content, and an alertor shows every alarm at once.
 */
function isGrouped({ channel, facts, alarm, isBegun }: DueNotification): boolean {
  return channel !== 'alertor' && !isBegun && Math.max(facts.level, alarm.level) <= GROUPED_TO_LEVEL;
}

function parcelsOf(sent: readonly DueNotification[]): Parcel[] {
  const parcels: Parcel[] = [];
  const together = new Map<string, Parcel>();
  for (const row of sent) {
    const key = `${topicOf(row.kind)} ${windowKey(row)}`;
    const parcel = isGrouped(row) ? together.get(key) : undefined;
    if (parcel) parcel.push(row);
    else {
      const first: Parcel = [row];
      parcels.push(first);
      if (isGrouped(row)) together.set(key, first);
    }
  }
  // Several notifications of one alarm are messages of their own.
  return parcels.flatMap((parcel) =>
    countAlarms(parcel) > 1 ? [parcel] : parcel.map((row): Parcel => [row]),
  );
}

/** Divides claimed notifications into those that are sent now and others. */
function judgeClaimed(due: readonly DueNotification[], holds: readonly Verdict[], now: number) {
  const sent: DueNotification[] = [];
  const other: Claimed[] = [];
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
      const waited = row.held || row.waits === 'quiet';
      const firstDueAt = waited ? now : row.firstDueAt;
      const late = waited || row.late || now - row.firstDueAt > LATE_AFTER_MS;
      if (row.kind !== 'repeated' || row.repeatMs === null) {
        if (row.held) released.add(recipientOf(row));
        sent.push({ ...row, late, firstDueAt });
        continue;
      }
      // A repeat is due one interval after what it repeats, also if that was held back.
      const repeatedAt = released.has(recipientOf(row)) ? now : row.releasedAt;
      const earliest = repeatedAt === null ? now : repeatedAt + row.repeatMs;
      if (earliest > now) other.push({ ...claimedOf(row, earliest), firstDueAt: earliest });
      else sent.push({ ...row, late, firstDueAt, facts: row.factsNow });
    }
  }
  return { sent, other };
}

/** State of a claimed notification that is due at another time. */
export const claimedOf = (
  { id, firstDueAt, late, facts, heldBy, groupId }: DueNotification,
  dueAt: number,
): Claimed => ({
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
  waits: null,
  groupId,
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
    case 'quiet':
      return { ...claimedOf(row, row.firstDueAt), state: 'cancelled', error: QUIET };
    case 'unpaid':
      return { ...claimedOf(row, row.firstDueAt), state: 'failed', error: UNPAID };
    case 'wait':
      return { ...claimedOf(row, now + LOOK_EVERY_MS), waits: row.waits };
  }
}

/** Identifies the recipient of an alarm within a notification channel. */
const recipientOf = ({ alarmId, recipientType, recipientId, url }: DueNotification): string =>
  [alarmId, recipientType, recipientId, url].join(' ');

/**
 * True if a notification that waited for the end of quiet hours or for a recharge no longer matters: the alarm has ended
 * or was acknowledged.
 */
function isSettled({ kind, waits, alarm, facts }: DueNotification): boolean {
  const level = Math.max(facts.level, alarm.level);
  const hasWaited = waits === 'quiet' || waits === 'balance';
  return hasWaited && kind !== 'ended' && (!alarm.isOpen || (alarm.acknowledgedLevel ?? 0) >= level);
}

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
      : isSettled(row)
        ? { verdict: row.waits === 'balance' ? 'unpaid' : 'quiet' }
        : judgeHold(
            { kind: row.kind, level: row.facts.level, heldBy: row.held ? row.heldBy : null },
            row.alarm,
            windowsOf(row),
            now,
          ),
  );
  /** Verdicts on what comes before the end of an alarm, by recipient. */
  const earlierOf = new Map<string, Verdict[]>();
  for (const [at, row] of due.entries()) {
    const verdict = judged[at];
    if (!verdict || row.kind === 'repeated') continue;
    earlierOf.set(recipientOf(row), [...(earlierOf.get(recipientOf(row)) ?? []), verdict]);
  }
  return due.map((row, at) => {
    const own = judged[at];
    if (own) return own;
    const before = earlierOf.get(recipientOf(row)) ?? [];
    const held = before.find((verdict) => 'by' in verdict);
    const isSent = before.some(({ verdict }) => verdict === 'send');
    const {
      isTold = false,
      isUnsettled = false,
      heldBy = null,
      isQuiet,
      isUnpaid,
      waitsQuiet,
    } = row.earlier ?? {};
    if (!isTold && !isSent) {
      if (isQuiet || before.some(({ verdict }) => verdict === 'quiet')) return { verdict: 'quiet' };
      if (isUnpaid || before.some(({ verdict }) => verdict === 'unpaid')) return { verdict: 'unpaid' };
      if (waitsQuiet) return { verdict: 'wait' };
    }
    return judgeEnd(
      {
        isTold: isTold || isSent,
        isUnsettled: isUnsettled && before.length === 0,
        heldBy: held?.by ?? heldBy,
      },
      row.alarm,
      windowsOf(row),
      now,
    );
  });
}
