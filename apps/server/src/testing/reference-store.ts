/** What the reference of notifications (reference-intents.ts) knows, in plain arrays. */

export type ReferenceChannel = 'email' | 'url-push';

export interface ReferenceStep {
  level: number;
  recipients: readonly number[];
  channels: readonly ReferenceChannel[];
  url: string;
  repeatMs: number | null;
  escalation: { afterMs: number; toLevel: number } | null;
}

export interface ReferencePolicy {
  id: number;
  steps: readonly ReferenceStep[];
  late: 'if-outside' | 'always' | 'never';
}

/** What happened to one alarm in one transaction, and how the alarm was after it. Times in epoch ms. */
export interface ReferenceCourse {
  alarm: number;
  policy: ReferencePolicy;
  events: readonly { type: string; level: number; at: number }[];
  level: number;
  isOpen: boolean;
  isLate: boolean;
}

export interface ReferenceWindow {
  id: number;
  from: number;
  until: number;
  highestLevel: number;
}

/** How far a worker gets before it dies; `all` if it does not die. */
export type WorkerProgress = 'nothing' | 'escalations' | 'letters' | 'all';

/** A notification or, with the channel `escalation`, a deadline that tells others. Times in epoch ms. */
export interface ReferenceIntent {
  alarm: number;
  kind: string;
  step: number;
  channel: ReferenceChannel | 'escalation';
  to: number | string;
  nth: number;
  state: 'pending' | 'sending' | 'sent' | 'cancelled';
  firstDueAt: number;
  dueAt: number;
  /** Null if two escalations of one moment differ in it, of which either may tell. */
  late: boolean | null;
  held: boolean;
  error: string;
}

/** An intent with what decides about it. */
export interface Intent extends ReferenceIntent {
  repeatMs: number | null;
  /** Level of the alarm when the intent was written. */
  level: number;
  attempts: number;
  heldBy: number | null;
  waitsForGroup: boolean;
  /** True if the alarm was over when the intent was written. */
  saysEnd: boolean;
  /** The push whose message includes this one. */
  sentWith: Intent | null;
}

/** An alarm as far as notifications depend on it. */
export interface ReferenceAlarm {
  id: number;
  policy: ReferencePolicy;
  level: number;
  isOpen: boolean;
  endedAt: number | null;
  acknowledgedLevel: number;
}

/** Kinds of notifications that tell of an alarm or of its level. */
export const TELLING = ['raised', 'level-changed', 'unacknowledged'];
export const MINUTE_MS = 60_000;
/** The most severe level is neither grouped nor waits for others. */
export const LONE_LEVEL = 5;

/** True if two intents are for the same recipient of the same alarm. */
export const isSame = (a: Intent, b: Pick<Intent, 'alarm' | 'channel' | 'to'>) =>
  a.alarm === b.alarm && a.channel === b.channel && a.to === b.to;

export type ReferenceStore = ReturnType<typeof createReferenceStore>;

export function createReferenceStore() {
  const alarms = new Map<number, ReferenceAlarm>();
  const intents: Intent[] = [];
  const windows: (ReferenceWindow & { endedAt: number | null })[] = [];

  const alarmOf = (intent: Intent) => alarms.get(intent.alarm) as ReferenceAlarm;

  /** Adds an intent unless the same was written before. */
  function add(
    fields: Pick<Intent, 'alarm' | 'kind' | 'step' | 'channel' | 'to' | 'firstDueAt'> & Partial<Intent>,
  ): boolean {
    const intent: Intent = {
      nth: 0,
      state: 'pending',
      dueAt: fields.firstDueAt,
      late: false,
      held: false,
      error: '',
      repeatMs: null,
      level: alarms.get(fields.alarm)?.level ?? 0,
      attempts: 0,
      heldBy: null,
      waitsForGroup: false,
      saysEnd: !alarms.get(fields.alarm)?.isOpen,
      sentWith: null,
      ...fields,
    };
    const isKnown = intents.some(
      (known) =>
        isSame(known, intent) &&
        known.step === intent.step &&
        known.kind === intent.kind &&
        known.nth === intent.nth,
    );
    if (!isKnown) intents.push(intent);
    return !isKnown;
  }

  /** Cancels what is pending and meets a condition. */
  function cancel(condition: (intent: Intent) => boolean): void {
    for (const intent of intents)
      if (intent.state === 'pending' && condition(intent)) intent.state = 'cancelled';
  }
  return { alarms, intents, windows, alarmOf, add, cancel };
}
