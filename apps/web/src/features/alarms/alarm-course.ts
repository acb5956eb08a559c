import type { Alarm, AlarmMessage, AlarmStep } from '@isotherm/contracts/alarms';
import type { AlarmLevel } from '@isotherm/domain/alarms/alarm-level';

/**
 * An entry of the timeline: a step of the alarm, a repeated notification or an escalation, with the notifications that it
 * caused.
 */
export interface CourseEntry {
  at: string;
  step: AlarmStep | null;
  messages: AlarmMessage[];
}

/** Repeats or escalations to several people within this time are shown as one entry. */
const TOGETHER_MS = 30_000;

/** Kinds of notifications that no step of the alarm has caused, and that are entries of their own. */
const OWN_ENTRIES = ['repeated', 'unacknowledged'] as const;
type OwnEntry = (typeof OWN_ENTRIES)[number];
const isOwnEntry = (kind: AlarmMessage['kind']): kind is OwnEntry =>
  OWN_ENTRIES.some((each) => each === kind);

const CAUSES: Readonly<Record<Exclude<AlarmMessage['kind'], OwnEntry>, AlarmStep['type']>> = {
  raised: 'raised',
  'level-changed': 'level-changed',
  ended: 'ended',
  reopened: 'reopened',
};

/**
 * Steps and notifications ordered by time. A notification belongs to the last step of its kind before it. If
 * late readings have removed that step, the notification is an entry of its own. Cancelled notifications and
 * repeats that are due later are left out, but not what a suppression window
 * has held back until it was dropped.
 */
export function courseOf(steps: readonly AlarmStep[], messages: readonly AlarmMessage[]): CourseEntry[] {
  const entries: CourseEntry[] = steps.map((step) => ({ at: step.at, step, messages: [] }));
  for (const message of messages) {
    if (isUnneeded(message) || isComing(message)) continue;
    const { kind, dueAt } = message;
    const home = isOwnEntry(kind)
      ? entries.find((entry) => entry.step === null && isNear(entry, message))
      : entries.findLast(
          ({ at, step }) => step?.type === CAUSES[kind] && Date.parse(at) <= Date.parse(dueAt),
        );
    if (home) home.messages.push(message);
    else entries.push({ at: dueAt, step: null, messages: [message] });
  }
  return entries.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

/** True for a cancelled notification, unless a suppression window has kept it from the recipient. */
function isUnneeded({ kind, state, suppression }: AlarmMessage): boolean {
  return state === 'cancelled' && (suppression === null || kind === 'repeated');
}

function isNear({ at, messages }: CourseEntry, { kind, dueAt }: AlarmMessage): boolean {
  return messages[0]?.kind === kind && Math.abs(Date.parse(at) - Date.parse(dueAt)) <= TOGETHER_MS;
}

/** True for a repeat that is not due yet. */
export function isComing({ kind, state, attempts }: AlarmMessage): boolean {
  return kind === 'repeated' && state === 'pending' && attempts === 0;
}

/** The repeat that is due next, or null if there is none. Repeats of levels above that of the alarm wait. */
export function nextRepeat(messages: readonly AlarmMessage[], level: AlarmLevel): AlarmMessage | null {
  const coming = messages
    .filter((message) => isComing(message) && message.stepLevel <= level)
    .sort((a, b) => Date.parse(a.dueAt) - Date.parse(b.dueAt));
  return coming[0] ?? null;
}

/** The levels that the alarm reached, in order; a level that is reached again is listed again. */
export function levelsOf(steps: readonly AlarmStep[]): AlarmLevel[] {
  const levels = steps.flatMap((step) =>
    step.type === 'raised' || step.type === 'level-changed' ? [step.level] : [],
  );
  return levels.filter((level, index) => level !== levels[index - 1]);
}

/**
 * Time ranges of the levels of an alarm, from its first reading outside the limits to its end or `now`;
 * epoch ms.
 */
export function levelSpans(
  alarm: Pick<Alarm, 'since' | 'endedAt' | 'level'>,
  steps: readonly AlarmStep[],
  now: number,
): { level: AlarmLevel; from: number; to: number }[] {
  const end = alarm.endedAt === null ? now : Date.parse(alarm.endedAt);
  const changes = steps.flatMap((step) =>
    step.type === 'raised' || step.type === 'level-changed'
      ? [{ level: step.level, from: Date.parse(step.at) }]
      : [],
  );
  if (changes.length === 0) return [{ level: alarm.level, from: Date.parse(alarm.since), to: end }];
  return changes
    .map(({ level, from }, index) => ({
      level,
      from: index === 0 ? Math.min(from, Date.parse(alarm.since)) : from,
      to: changes[index + 1]?.from ?? end,
    }))
    .filter(({ from, to }) => to > from);
}

/** Number of notifications in total and by the result of their delivery. */
export function deliveryOf(messages: readonly AlarmMessage[]) {
  const made = messages.filter((message) => message.state !== 'cancelled' && !isComing(message));
  const count = (...states: AlarmMessage['state'][]) =>
    made.filter(({ state }) => states.includes(state)).length;
  return {
    sent: count('sent'),
    waiting: count('pending', 'sending'),
    failed: count('failed'),
  };
}
