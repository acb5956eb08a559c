import {
  type Intent,
  isSame,
  LONE_LEVEL,
  MINUTE_MS,
  type ReferenceAlarm,
  type ReferenceChannel,
  type ReferenceStore,
  TELLING,
} from './reference-store.ts';

/** Delivery in the reference of notifications (reference-intents.ts): suppression, groups, repeats, letters and pushes. */

/** One message about a site to a recipient is followed by the next one after this time. */
const MESSAGE_WINDOW_MS = 30_000;
/** A worker that died during a push is replaced after this time. */
const PUSH_LEASE_MS = 60_000;

const topicOf = (kind: string) => (kind === 'repeated' || kind === 'ended' ? kind : 'raised');

export function createReferenceDelivery({ intents, windows, alarmOf, add }: ReferenceStore) {
  /** Until when the next message to a recipient waits. */
  const closesAt = new Map<string, number>();

  const endOf = ({ until, endedAt }: (typeof windows)[number]) => Math.min(until, endedAt ?? until);

  /** The active window that holds back a level of an alarm for the longest time. */
  function holding(level: number, alarm: ReferenceAlarm, now: number) {
    return windows
      .filter(
        (window) =>
          window.endedAt === null &&
          window.from <= now &&
          now < window.until &&
          window.highestLevel >= level &&
          (alarm.endedAt === null || alarm.endedAt >= window.from),
      )
      .sort((a, b) => b.until - a.until || a.id - b.id)[0];
  }

  const nextRepeat = (from: number, repeatMs: number, now: number) => {
    let next = from + repeatMs;
    while (next <= now) next += repeatMs;
    return next;
  };

  /** Returns whether an intent is sent, waits until a time, is held back, or is not sent any more. */
  function judge(intent: Intent, now: number) {
    const alarm = alarmOf(intent);
    if (intent.kind === 'repeated') {
      if (!alarm.isOpen || alarm.acknowledgedLevel >= intent.step)
        return { verdict: 'cancel', by: null } as const;
      if (alarm.level < intent.step) return { verdict: 'skip' } as const;
    }
    const level = intent.kind === 'repeated' ? alarm.level : Math.max(intent.level, alarm.level);
    const isSettled = !alarm.isOpen || alarm.acknowledgedLevel >= level;
    const window = holding(level, alarm, now);
    if (window)
      return isSettled
        ? ({ verdict: 'cancel', by: window.id } as const)
        : ({ verdict: 'hold', by: window } as const);
    const before = intent.held ? windows.find(({ id }) => id === intent.heldBy) : undefined;
    if (!before) return { verdict: 'send' } as const;
    const endedBefore = alarm.endedAt !== null && alarm.endedAt <= endOf(before);
    return endedBefore || alarm.acknowledgedLevel >= level
      ? ({ verdict: 'cancel', by: before.id } as const)
      : ({ verdict: 'send' } as const);
  }
  type Verdict = ReturnType<typeof judge> | { verdict: 'wait' };

  /** An end is told to whoever was told of the alarm, and not to whom a window has held back everything. */
  function judgeEnd(
    intent: Intent,
    before: readonly Verdict[],
    earlier: readonly Readonly<Intent>[],
    now: number,
  ): Verdict {
    const alarm = alarmOf(intent);
    const isTold =
      before.some(({ verdict }) => verdict === 'send') ||
      earlier.some(({ state, attempts }) => state === 'sending' || state === 'sent' || attempts > 0);
    if (isTold) return { verdict: 'send' };
    const isOpenQuestion =
      before.length === 0 &&
      earlier.some(
        ({ state, held, dueAt, attempts }) =>
          state === 'pending' && attempts === 0 && (!held || dueAt <= now),
      );
    const holdingNow = before.find(
      (each) => each.verdict === 'hold' || (each.verdict === 'cancel' && each.by !== null),
    );
    const heldNow =
      holdingNow?.verdict === 'hold'
        ? holdingNow.by.id
        : holdingNow?.verdict === 'cancel'
          ? holdingNow.by
          : null;
    const heldEarlier = earlier.flatMap(({ heldBy, held, state }) =>
      heldBy !== null && (held || state === 'cancelled') ? [heldBy] : [],
    );
    const heldBy = heldNow ?? (heldEarlier.length > 0 ? Math.max(...heldEarlier) : null);
    if (isOpenQuestion)
      return { verdict: heldBy !== null || holding(alarm.level, alarm, now) ? 'wait' : 'send' };
    return heldBy === null ? { verdict: 'send' } : { verdict: 'cancel', by: heldBy };
  }

  const isAlone = (intent: Intent) =>
    intent.attempts > 0 || Math.max(intent.level, alarmOf(intent).level) >= LONE_LEVEL;

  /** If the first notification of a message is not sent, the others are due again and judged by themselves. */
  function dissolve(first: Intent): void {
    for (const other of intents)
      if (other.sentWith === first && other.state === 'sending') {
        other.state = 'pending';
        other.dueAt = other.firstDueAt;
        other.attempts = 0;
        other.sentWith = null;
      }
  }

  /** Postpones, holds back or cancels what is not sent now; returns what is. */
  function settle(channel: ReferenceChannel, now: number): Intent[] {
    const due = intents
      .filter((intent) => intent.channel === channel && intent.state === 'pending' && intent.dueAt <= now)
      .sort((a, b) => a.dueAt - b.dueAt);
    const before = new Map(intents.map((intent) => [intent, { ...intent }]));
    const verdicts = new Map<Intent, Verdict>();
    const isEarlier = (known: Intent, end: Intent) => isSame(known, end) && TELLING.includes(known.kind);
    for (const intent of due) if (intent.kind !== 'ended') verdicts.set(intent, judge(intent, now));
    for (const intent of due)
      if (intent.kind === 'ended')
        verdicts.set(
          intent,
          judgeEnd(
            intent,
            due.flatMap((known) => (isEarlier(known, intent) ? [verdicts.get(known) as Verdict] : [])),
            intents.filter((known) => isEarlier(known, intent)).map((known) => before.get(known) as Intent),
            now,
          ),
        );
    const ready: Intent[] = [];
    const released: Intent[] = [];
    for (const intent of due) {
      const verdict = verdicts.get(intent) as Verdict;
      const wasHeld = intent.held;
      const waitedForGroup = intent.waitsForGroup;
      intent.held = false;
      intent.waitsForGroup = false;
      if (verdict.verdict === 'cancel' || verdict.verdict === 'hold') dissolve(intent);
      if (verdict.verdict === 'cancel') {
        intent.state = 'cancelled';
        if (verdict.by !== null) {
          intent.error = 'suppressed';
          intent.heldBy = verdict.by;
        }
      } else if (verdict.verdict === 'skip') {
        intent.firstDueAt = nextRepeat(intent.firstDueAt, intent.repeatMs as number, now);
        intent.dueAt = intent.firstDueAt;
      } else if (verdict.verdict === 'hold') {
        intent.held = true;
        intent.heldBy = verdict.by.id;
        intent.dueAt = Math.min(verdict.by.until, now + MINUTE_MS);
      } else if (verdict.verdict === 'wait') {
        intent.waitsForGroup = waitedForGroup;
        intent.dueAt = now + 1_000;
      } else {
        const repeatFrom = intent.firstDueAt;
        if (intent.kind === 'repeated') {
          const releasedAt = released.some((known) => isSame(known, intent))
            ? now
            : Math.max(
                ...intents
                  .filter((known) => isSame(known, intent) && TELLING.includes(known.kind))
                  .map((known) => before.get(known) as Intent)
                  .filter(({ heldBy, held, state }) => heldBy !== null && !held && state !== 'cancelled')
                  .map(({ firstDueAt }) => firstDueAt),
              );
          // What a window released is repeated one interval later.
          if (releasedAt + (intent.repeatMs as number) > now) {
            intent.firstDueAt = releasedAt + (intent.repeatMs as number);
            intent.dueAt = intent.firstDueAt;
            continue;
          }
        } else if (wasHeld) released.push(intent);
        intent.late ||= wasHeld || now - intent.firstDueAt > MINUTE_MS;
        if (wasHeld) intent.firstDueAt = now;
        const closes = closesAt.get(`${channel} ${intent.to}`) ?? 0;
        if (!isAlone(intent) && closes > now && !waitedForGroup) {
          intent.waitsForGroup = true;
          intent.dueAt = closes;
          if (intent.kind === 'repeated') intent.level = alarmOf(intent).level;
          continue;
        }
        if (intent.kind === 'repeated') {
          intent.level = alarmOf(intent).level;
          next.push({ intent, from: repeatFrom });
        }
        ready.push(intent);
      }
    }
    return ready;
  }
  /** Repeats that are sent now, and from when their next ones are counted. */
  const next: { intent: Intent; from: number }[] = [];

  function afterSending(sent: readonly { intent: Intent; isAlone: boolean }[], now: number): void {
    for (const { intent, from } of next.splice(0))
      add({
        alarm: intent.alarm,
        kind: 'repeated',
        step: intent.step,
        channel: intent.channel,
        to: intent.to,
        nth: intent.nth + 1,
        repeatMs: intent.repeatMs,
        firstDueAt: nextRepeat(from, intent.repeatMs as number, now),
      });
    for (const { intent, isAlone: wasAlone } of sent)
      if (!wasAlone) closesAt.set(`${intent.channel} ${intent.to}`, now + MESSAGE_WINDOW_MS);
  }

  function sendLetters(now: number): void {
    const ready = settle('email', now).map((intent) => ({ intent, isAlone: isAlone(intent) }));
    for (const { intent } of ready) {
      intent.state = 'sending';
      intent.dueAt = intent.firstDueAt;
    }
    afterSending(ready, now);
  }

  function sendPushes(now: number, loses: boolean): void {
    const ready = settle('url-push', now).map((intent) => ({ intent, isAlone: isAlone(intent) }));
    const firsts: Intent[] = [];
    for (const { intent, isAlone: alone } of ready) {
      const others = ready.flatMap((other) =>
        !alone &&
        !other.isAlone &&
        other.intent.to === intent.to &&
        topicOf(other.intent.kind) === topicOf(intent.kind)
          ? [other.intent]
          : [],
      );
      const first = new Set(others.map(({ alarm }) => alarm)).size > 1 ? (others[0] as Intent) : intent;
      if (first === intent) firsts.push(intent);
      else {
        intent.sentWith = first;
        intent.state = 'sending';
      }
    }
    for (const { intent } of ready) intent.attempts++;
    for (const first of firsts) {
      first.dueAt = now + PUSH_LEASE_MS;
      if (loses) continue;
      first.state = 'sent';
      for (const other of intents)
        if (other.sentWith === first && other.state === 'sending') other.state = 'sent';
    }
    afterSending(ready, now);
  }
  return { sendLetters, sendPushes };
}
