import { highestLevel } from './alarm-level.ts';
import { type Episode, type EpisodeEvent, widen } from './episode.ts';

/** A stored alarm with its events in order of time. */
export interface StoredAlarm extends Omit<Episode, 'alarmId'> {
  id: number;
  /** True if a person has acknowledged the alarm. */
  acknowledged: boolean;
  /**
   * Start and end that late readings imply, found after a person had ended or acknowledged the alarm; epoch
   * ms.
   */
  impliedSince: number | null;
  impliedUntil: number | null;
  /** Moment at which an alarm that ended at its last reading timed out; null or absent for other alarms. */
  heldUntil?: number | null;
}

export type Amendment =
  | { type: 'insert'; episode: Episode; eventsFrom: number | null }
  | { type: 'amend'; alarm: StoredAlarm; episode: Episode; eventsFrom: number | null }
  | { type: 'refute'; alarm: StoredAlarm; endedAt: number }
  | { type: 'annotate'; alarm: StoredAlarm; episode: Episode };

/**
 * True for an alarm that a person ended, or acknowledged and that has ended. Such an alarm never changes
 * again (decision 24). An alarm that ended with the subscription has not ended in fact: after a renewal it goes on
 * (decision 33).
 */
export function isSettledByPerson(alarm: StoredAlarm): boolean {
  return (
    alarm.endReason === 'manual' ||
    (alarm.acknowledged && alarm.endedAt !== null && alarm.endReason !== 'subscription-expired')
  );
}

/** True if late readings have shown that the excursion did not happen. */
export function isRefuted(alarm: StoredAlarm): boolean {
  return alarm.endReason === 'late-readings';
}

/**
 * True if the excursion of this alarm lasted at a given time, as stored or as implied by late readings.
 * False for a refuted alarm. An alarm that timed out counts until the moment of the timeout, because it goes on
 * if earlier readings arrive.
 */
export function wasHolding(alarm: StoredAlarm, at: number): boolean {
  if (isRefuted(alarm)) return false;
  if (alarm.since <= at && at < (alarm.heldUntil ?? alarm.endedAt ?? Number.POSITIVE_INFINITY)) return true;
  return (
    alarm.impliedSince !== null &&
    alarm.impliedSince <= at &&
    at < (alarm.impliedUntil ?? Number.POSITIVE_INFINITY)
  );
}

/**
 * The alarm as of an earlier time, for a replay that starts there. If its peak came later, the peak until
 * that time is unknown.
 */
export function rewind(alarm: StoredAlarm, at: number): { episode: Episode; isPeakKnown: boolean } {
  const before = courseOf(alarm).filter((event) => event.at < at);
  const last = before.at(-1);
  const phase = before.findLast(({ type }) => type !== 'level-changed');
  const isPeakKnown = alarm.peakAt < at;
  return {
    isPeakKnown,
    episode: {
      ...alarmAsEpisode(alarm),
      endedAt: null,
      endReason: null,
      recovering: phase?.type === 'recovering',
      level: last?.level ?? alarm.level,
      peakLevel: before.length > 0 ? highestLevel(before.map(({ level }) => level)) : alarm.peakLevel,
      peak: isPeakKnown ? alarm.peak : alarm.value,
      peakAt: isPeakKnown ? alarm.peakAt : alarm.raisedAt,
      events: [],
    },
  };
}

/** Events of an alarm that state its level at their time; its end states the highest level until then instead. */
const courseOf = ({ events }: StoredAlarm) => events.filter(({ type }) => type !== 'ended');

/** A stored alarm as an episode that can be continued. */
export function alarmAsEpisode(alarm: StoredAlarm): Episode {
  return {
    alarmId: alarm.id,
    kind: alarm.kind,
    ruleId: alarm.ruleId,
    since: alarm.since,
    raisedAt: alarm.raisedAt,
    endedAt: alarm.endedAt,
    endReason: alarm.endReason,
    recovering: alarm.recovering,
    level: alarm.level,
    peakLevel: alarm.peakLevel,
    limit: alarm.limit,
    recoveryMargin: alarm.recoveryMargin,
    triggerAfterMs: alarm.triggerAfterMs,
    defrostDelayMs: alarm.defrostDelayMs,
    value: alarm.value,
    peak: alarm.peak,
    peakAt: alarm.peakAt,
    events: [],
  };
}

/**
 * The episode, continued from `at` on like the stored alarm. Its peak is unknown if the alarm began before
 * the episode and had its peak before `at`.
 */
export function continueAs(
  episode: Episode,
  alarm: StoredAlarm,
  at: number,
): { episode: Episode; isPeakKnown: boolean } {
  const after = courseOf(alarm).filter((event) => event.at >= at);
  const peakLevel = highestLevel([episode.peakLevel, ...after.map(({ level }) => level)]);
  const merged: Episode = {
    ...episode,
    endedAt: alarm.endedAt,
    endReason: alarm.endReason,
    recovering: alarm.recovering,
    level: alarm.endedAt === null ? alarm.level : peakLevel,
    peakLevel,
  };
  const isSameAlarm = episode.alarmId === alarm.id || episode.since <= alarm.since;
  if (isSameAlarm || alarm.peakAt >= at) widen(merged, alarm.peak, alarm.peakAt);
  return { episode: merged, isPeakKnown: isSameAlarm || alarm.peakAt >= at };
}

/** A range of a channel's history: the stored alarms, and the episodes that the readings imply. */
export interface Stretch {
  /** Alarms of one kind, ordered by time. */
  alarms: readonly StoredAlarm[];
  episodes: readonly Episode[];
  from: number;
  /** End of the range; infinite if it includes the newest reading. */
  until: number;
  /** End for an open alarm that is refuted: the time of the last reading of the range. */
  refutedAt: number;
  /** The alarm that the last episode follows after the range; null if there is none. */
  continued: StoredAlarm | null;
}

/**
 * Returns the changes that make the stored alarms match what the readings imply. Each episode is matched
 * with the alarm that it continues, or else with the first free alarm that it overlaps. An episode without
 * an alarm is inserted. An alarm without an episode is refuted, never removed. Alarms that a person ended,
 * or that were acknowledged and have ended, are only annotated.
 */
export function reconcile({ alarms, episodes, from, until, refutedAt, continued }: Stretch): Amendment[] {
  const free = alarms.filter((alarm) => !isSettledByPerson(alarm));
  const settled = alarms.filter((alarm) => isSettledByPerson(alarm) && !isRefuted(alarm));
  const amendments: Amendment[] = [];
  const annotated = new Set<StoredAlarm>();
  for (const [index, implied] of episodes.entries()) {
    const byPerson = settled.filter((alarm) => alarm.id === implied.alarmId || overlaps(alarm, implied));
    for (const alarm of byPerson) {
      annotated.add(alarm);
      if (!hasCourse(alarm, implied)) amendments.push({ type: 'annotate', alarm, episode: implied });
    }
    const matched = take(free, implied);
    if (!matched && byPerson.length > 0 && implied.endedAt !== null) continue;
    const episode = byPerson.length > 0 ? after(implied, byPerson) : implied;
    const isLast = index === episodes.length - 1;
    const eventsFrom =
      isLast && continued && continued.id !== matched?.id && !isSettledByPerson(continued)
        ? continued.id
        : null;
    if (!matched) amendments.push({ type: 'insert', episode: { ...episode, alarmId: null }, eventsFrom });
    else if (isRefuted(matched) || !isSame(matched, episode) || !isSameHistory(matched, episode, from, until))
      amendments.push({ type: 'amend', alarm: matched, episode: amended(matched, episode), eventsFrom });
  }
  for (const alarm of free) {
    if (!isRefuted(alarm)) amendments.push({ type: 'refute', alarm, endedAt: alarm.endedAt ?? refutedAt });
  }
  return amendments;
}

function take(free: StoredAlarm[], episode: Episode): StoredAlarm | null {
  const candidates = [
    free.findIndex((alarm) => alarm.id === episode.alarmId),
    free.findIndex((alarm) => !isRefuted(alarm) && overlaps(alarm, episode)),
    free.findIndex((alarm) => isRefuted(alarm) && overlaps(alarm, episode)),
  ];
  const index = candidates.find((candidate) => candidate !== -1);
  return index === undefined ? null : (free.splice(index, 1)[0] as StoredAlarm);
}

type Span = Pick<Episode, 'since' | 'endedAt'>;

function overlaps(a: Span, b: Span): boolean {
  return (
    a.since <= (b.endedAt ?? Number.POSITIVE_INFINITY) && b.since <= (a.endedAt ?? Number.POSITIVE_INFINITY)
  );
}

/**
 * The part of an episode after the alarms that a person has settled (ended, or acknowledged after their
 * end).
 */
function after(episode: Episode, settled: readonly StoredAlarm[]): Episode {
  const since = settled.reduce((latest, { endedAt }) => Math.max(latest, endedAt as number), episode.since);
  return { ...episode, since, raisedAt: Math.max(since, episode.raisedAt) };
}

/** An acknowledged open alarm keeps its start and the time at which it was raised. */
function amended(alarm: StoredAlarm, episode: Episode): Episode {
  if (!alarm.acknowledged) return { ...episode, alarmId: alarm.id };
  const { id: alarmId, since, raisedAt, value, defrostDelayMs } = alarm;
  return { ...episode, alarmId, since, raisedAt, value, defrostDelayMs };
}

function hasCourse(alarm: StoredAlarm, episode: Episode): boolean {
  const since = alarm.impliedSince ?? alarm.since;
  const until = alarm.impliedSince === null ? alarm.endedAt : alarm.impliedUntil;
  return since === episode.since && until === episode.endedAt;
}

function isSame(alarm: StoredAlarm, episode: Episode): boolean {
  const begins =
    alarm.acknowledged ||
    (alarm.since === episode.since &&
      alarm.raisedAt === episode.raisedAt &&
      alarm.defrostDelayMs === episode.defrostDelayMs);
  return (
    begins &&
    alarm.endedAt === episode.endedAt &&
    alarm.endReason === episode.endReason &&
    alarm.recovering === episode.recovering &&
    alarm.level === episode.level &&
    alarm.peakLevel === episode.peakLevel &&
    alarm.limit === episode.limit &&
    alarm.peak === episode.peak &&
    alarm.peakAt === episode.peakAt
  );
}

/** True if the events of the stretch equal the stored ones. */
function isSameHistory(alarm: StoredAlarm, episode: Episode, from: number, until: number): boolean {
  const stored = alarm.events.filter(({ at }) => from <= at && at < until);
  return (
    stored.length === episode.events.length &&
    stored.every((event, index) => {
      const implied = episode.events[index] as EpisodeEvent;
      return event.at === implied.at && event.type === implied.type && event.level === implied.level;
    })
  );
}
