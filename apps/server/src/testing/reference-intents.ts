import { createReferenceDelivery } from './reference-delivery.ts';
import {
  createReferenceStore,
  type Intent,
  isSame,
  LONE_LEVEL,
  MINUTE_MS,
  type ReferenceCourse,
  type ReferenceIntent,
  type ReferenceStep,
  type ReferenceWindow,
  TELLING,
  type WorkerProgress,
} from './reference-store.ts';

/**
 * A slow and obvious reference for what people are told of alarms and when (docs/alarms.md, Notifications, Escalation,
 * Suppression). It keeps everything in arrays and is told one deed after another: what happened to an alarm, what people
 * did, and how far a worker got. It shares no code with the engine.
 */

export interface ReferenceIntents {
  happened(course: ReferenceCourse, now: number): void;
  acknowledged(alarm: number, level: number): void;
  declared(window: ReferenceWindow): void;
  /** A window was ended or cancelled by a person. */
  endedWindow(id: number, now: number): void;
  /** A worker delivers what is due. With `losesPushes`, it dies after each push and stores no outcome. */
  worked(now: number, progress: WorkerProgress, losesPushes: boolean): void;
  /**
   * True if it does not matter which of several workers finds what is due: no escalation, nothing about which a recipient
   * would get in one message what two workers send in two, and no message whose parts may be due again.
   */
  canBeShared(now: number): boolean;
  intents(): ReferenceIntent[];
}

/** Whom a step tells, and through which notification channels. */
const targetsOf = ({ recipients, channels, url }: ReferenceStep) => [
  ...(channels.includes('email') ? recipients.map((to) => ({ channel: 'email' as const, to })) : []),
  ...(channels.includes('url-push') ? [{ channel: 'url-push' as const, to: url }] : []),
];

export function createReferenceIntents(): ReferenceIntents {
  const store = createReferenceStore();
  const { alarms, intents, windows, alarmOf, add, cancel } = store;
  const { sendLetters, sendPushes } = createReferenceDelivery(store);

  function raise({ alarm, policy, events, level, isOpen, isLate }: ReferenceCourse, now: number): void {
    const found: (Pick<Intent, 'kind' | 'step' | 'channel' | 'to' | 'repeatMs' | 'late'> & { by: number })[] =
      [];
    for (const [by, event] of events.entries()) {
      if (event.type !== 'raised' && event.type !== 'level-changed') continue;
      const late = isLate || now - event.at > 10 * MINUTE_MS;
      const lasts = isOpen && level >= event.level;
      const matters = policy.late === 'always' || (lasts && (policy.late !== 'never' || !late));
      if (!matters) continue;
      for (const step of policy.steps)
        if (step.level <= event.level)
          for (const target of targetsOf(step)) {
            const knows = intents.some(
              (known) =>
                isSame(known, { alarm, ...target }) &&
                TELLING.includes(known.kind) &&
                known.step >= step.level,
            );
            if (!knows)
              found.push({
                kind: event.type,
                step: step.level,
                repeatMs: step.repeatMs,
                late,
                by,
                ...target,
              });
          }
    }
    // Whoever is named by several steps is told by the highest one, for the lowest level that includes it.
    found.sort(
      (a, b) => b.step - a.step || (events[a.by]?.level ?? 0) - (events[b.by]?.level ?? 0) || a.by - b.by,
    );
    const told = found.filter(
      ({ channel, to }, at) =>
        found.findIndex((other) => other.channel === channel && other.to === to) === at,
    );
    for (const { by: _, ...each } of told) {
      if (each.repeatMs !== null)
        cancel((known) => known.kind === 'repeated' && isSame(known, { alarm, ...each }));
    }
    for (const { by: _, ...each } of told) {
      add({ ...each, alarm, firstDueAt: now });
      if (each.repeatMs !== null)
        add({ ...each, alarm, kind: 'repeated', nth: 1, late: false, firstDueAt: now + each.repeatMs });
    }
  }

  function tellEnd({ alarm, events, isLate }: ReferenceCourse, now: number): void {
    cancel((known) => known.alarm === alarm && known.kind === 'repeated');
    const late = isLate || events.some(({ type, at }) => type === 'ended' && now - at > 10 * MINUTE_MS);
    const told = intents.filter(
      (known) => known.alarm === alarm && TELLING.includes(known.kind) && !known.saysEnd,
    );
    for (const { channel, to } of told) {
      if (channel === 'escalation') continue;
      const step = Math.max(
        ...told.flatMap((known) => (isSame(known, { alarm, channel, to }) ? [known.step] : [])),
      );
      add({ alarm, kind: 'ended', step, channel, to, firstDueAt: now, late });
    }
    cancel((known) => known.alarm === alarm && known.channel === 'escalation');
  }

  function planEscalations(
    { alarm, policy, events, level, isOpen, isLate }: ReferenceCourse,
    now: number,
  ): void {
    for (const event of events) {
      if (event.type !== 'raised' && event.type !== 'level-changed') continue;
      const late = isLate || now - event.at > 10 * MINUTE_MS;
      if (!isOpen || level < event.level || (policy.late === 'never' && late)) continue;
      for (const { level: step, escalation } of policy.steps)
        if (step <= event.level && escalation)
          add({
            alarm,
            kind: 'unacknowledged',
            step,
            channel: 'escalation',
            to: policy.id,
            nth: step,
            firstDueAt: now + escalation.afterMs,
          });
    }
    // The repeats of a level that was told by an escalation replace those of lower ones when the alarm reaches it.
    for (const event of events)
      if (event.type === 'level-changed')
        for (const higher of intents.filter(
          (known) =>
            known.alarm === alarm &&
            known.kind === 'repeated' &&
            known.state === 'pending' &&
            known.step <= event.level,
        ))
          cancel((known) => isSame(known, higher) && known.kind === 'repeated' && known.step < higher.step);
  }

  function escalate(now: number): void {
    const found: { due: Intent; target: ReferenceStep }[] = [];
    for (const intent of intents) {
      if (intent.channel !== 'escalation' || intent.state !== 'pending' || intent.dueAt > now) continue;
      const alarm = alarmOf(intent);
      if (!alarm.isOpen || alarm.acknowledgedLevel >= intent.step) intent.state = 'cancelled';
      else if (alarm.level < intent.step) {
        intent.firstDueAt = now + MINUTE_MS;
        intent.dueAt = intent.firstDueAt;
      } else {
        intent.state = 'sent';
        intent.late ||= now - intent.firstDueAt > MINUTE_MS;
        const { steps } = alarm.policy;
        const own = steps.find(({ level }) => level === intent.nth);
        const target = steps.find(({ level }) => level === own?.escalation?.toLevel);
        if (target) found.push({ due: intent, target });
      }
    }
    const told = found
      .flatMap(({ due, target }) =>
        targetsOf(target)
          .filter(
            (each) =>
              !intents.some(
                (known) =>
                  isSame(known, { alarm: due.alarm, ...each }) &&
                  ((TELLING.includes(known.kind) && known.step >= target.level) ||
                    (known.kind === 'unacknowledged' && known.firstDueAt > now - MINUTE_MS)),
              ),
          )
          .map((each) => ({
            ...each,
            alarm: due.alarm,
            step: target.level,
            repeatMs: target.repeatMs,
            late: due.late,
          })),
      )
      .sort((a, b) => b.step - a.step);
    for (const [at, each] of told.entries()) {
      const alike = told.filter(
        ({ alarm, channel, to }) => alarm === each.alarm && channel === each.channel && to === each.to,
      );
      if (told.indexOf(alike[0] as (typeof told)[number]) !== at) continue;
      const ties = alike.filter(({ step }) => step === each.step);
      const late = ties.every((tie) => tie.late === each.late) ? each.late : null;
      add({ ...each, kind: 'unacknowledged', firstDueAt: now, late });
      if (each.repeatMs !== null)
        add({ ...each, kind: 'repeated', nth: 1, late: false, firstDueAt: now + each.repeatMs });
    }
    for (const { due, target } of found)
      if (target.escalation)
        add({
          alarm: due.alarm,
          kind: 'unacknowledged',
          step: due.step,
          channel: 'escalation',
          to: due.to,
          nth: target.level,
          firstDueAt: now + target.escalation.afterMs,
        });
  }

  return {
    happened(course, now) {
      const known = alarms.get(course.alarm);
      const isOver = course.events.some(({ type }) => type === 'ended') && !course.isOpen;
      alarms.set(course.alarm, {
        id: course.alarm,
        policy: course.policy,
        level: course.level,
        isOpen: course.isOpen,
        endedAt: isOver ? now : (known?.endedAt ?? null),
        acknowledgedLevel: known?.acknowledgedLevel ?? 0,
      });
      raise(course, now);
      if (isOver) tellEnd(course, now);
      planEscalations(course, now);
      if (isOver) cancel((intent) => intent.alarm === course.alarm && intent.channel === 'escalation');
      // A new level or the end has what is held back judged again at once.
      const changes = course.events.filter(({ type }) => type === 'level-changed' || type === 'ended');
      const highest = Math.max(0, ...changes.map(({ level }) => level));
      if (changes.length > 0)
        for (const intent of intents)
          if (
            intent.alarm === course.alarm &&
            intent.state === 'pending' &&
            (intent.held || (intent.waitsForGroup && highest === LONE_LEVEL))
          )
            intent.dueAt = intent.firstDueAt;
    },
    acknowledged(id, level) {
      const alarm = alarms.get(id);
      if (alarm) alarm.acknowledgedLevel = level;
    },
    declared(window) {
      windows.push({ ...window, endedAt: null });
    },
    endedWindow(id, now) {
      for (const window of windows) if (window.id === id) window.endedAt = now;
      for (const intent of intents)
        if (intent.held && intent.heldBy === id && intent.state === 'pending')
          intent.dueAt = intent.firstDueAt;
    },
    worked(now, progress, losesPushes) {
      if (progress === 'nothing') return;
      escalate(now);
      if (progress === 'escalations') return;
      sendLetters(now);
      if (progress === 'letters') return;
      sendPushes(now, losesPushes);
    },
    canBeShared(now) {
      const due = intents.filter(({ state, dueAt }) => state === 'pending' && dueAt <= now);
      const recipients = new Set(due.map(({ channel, to }) => `${channel} ${to}`));
      return (
        recipients.size === due.length &&
        due.every(({ channel }) => channel !== 'escalation') &&
        intents.every(({ sentWith, state }) => state !== 'sending' || !sentWith || !due.includes(sentWith))
      );
    },
    intents: () => intents,
  };
}
