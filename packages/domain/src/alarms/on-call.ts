import { offsetOf } from '../readings/local-days.ts';
import { type Person, personKey } from './person.ts';

/**
 * On-call schedules. A rota says whose turn it is; overrides replace that person for a time; leave says when a
 * person is not available. All times are epoch ms, and all spans include their start and exclude their end.
 */

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** Kinds of changes of a rota for a span of time. */
export const ON_CALL_CHANGES = ['override', 'leave'] as const;
export type OnCallChangeKind = (typeof ON_CALL_CHANGES)[number];

/** People who take turns in this order. The rota has no end; before its first turn nobody is on call. */
export interface Rota {
  people: readonly Person[];
  /** Date on which a turn of the first person starts, as `2026-11-23`; with the zone, this is also the weekday. */
  startsOn: string;
  /** Local time of the handover, as `08:00`. */
  handoverAt: string;
  timeZone: string;
  /** Length of a turn in calendar days. */
  turnDays: number;
}

/** A span in which a person is on call instead of the rota (override), or is not available (leave). */
export interface PersonSpan {
  person: Person;
  from: number;
  until: number;
}

export interface OnCallSchedule {
  rota: Rota;
  /** The later in the list, the higher the precedence. */
  overrides: readonly PersonSpan[];
  leave: readonly PersonSpan[];
  /** Keys of people who were removed or have left the organisation; they are never on call. */
  unavailable: ReadonlySet<string>;
}

/** A turn of the rota; `index` counts turns from `startsOn`. Before that it is negative, and the turn is nobody's. */
export interface Turn extends PersonSpan {
  index: number;
}

export interface Cover {
  /** The person on call; null if there is none. */
  person: Person | null;
  source: 'rota' | 'override' | null;
  from: number;
  until: number;
}

/** Says who is on call at a moment, with which source; both null if nobody is. */
export type OnCall = Pick<Cover, 'person' | 'source'>;

const NOBODY: OnCall = { person: null, source: null };

/**
 * Time of a local date and time, both given as if they were in UTC. A local time that clocks skip counts as the
 * first moment after the skipped time; of a local time that occurs twice, the first is meant.
 */
export function momentOf(local: number, offsetAt: (at: number) => number): number {
  // Whole days can be skipped (Samoa, 2011), so that the offsets two days before and after contain both.
  const offsets = [offsetAt(local - 2 * DAY_MS), offsetAt(local + 2 * DAY_MS)];
  let moment = local - Math.max(...offsets);
  while (moment + offsetAt(moment) < local) moment += MINUTE_MS;
  return moment;
}

/** Returns a function that finds the turn of a moment. Throws for an unknown time zone. */
export function turnsOf({ people, startsOn, handoverAt, timeZone, turnDays }: Rota): (at: number) => Turn {
  const offsetAt = offsetOf(timeZone);
  const first = Date.parse(`${startsOn}T${handoverAt}:00Z`);
  const turnMs = turnDays * DAY_MS;
  const starts = new Map<number, number>();
  const startOf = (index: number): number => {
    let start = starts.get(index);
    if (start === undefined) {
      start = momentOf(first + index * turnMs, offsetAt);
      starts.set(index, start);
    }
    return start;
  };
  return (at) => {
    let index = Math.floor((at + offsetAt(at) - first) / turnMs);
    while (startOf(index) > at) index -= 1;
    while (startOf(index + 1) <= at) index += 1;
    const person = people[((index % people.length) + people.length) % people.length] as Person;
    return { index, person, from: startOf(index), until: startOf(index + 1) };
  };
}

const holds =
  (at: number) =>
  ({ from, until }: PersonSpan) =>
    from <= at && at < until;

function judge({ overrides, leave, unavailable }: OnCallSchedule, turn: Turn, at: number): OnCall {
  const away = new Set([...leave.filter(holds(at)).map(({ person }) => personKey(person)), ...unavailable]);
  const isThere = (person: Person) => !away.has(personKey(person));
  const override = overrides.filter(holds(at)).findLast(({ person }) => isThere(person));
  if (override) return { person: override.person, source: 'override' };
  return turn.index >= 0 && isThere(turn.person) ? { person: turn.person, source: 'rota' } : NOBODY;
}

/**
 * Says who is on call at a moment: the person of the last override that holds, otherwise the person whose turn
 * it is. Somebody who is on leave or unavailable is passed over.
 */
export function onCallAt(schedule: OnCallSchedule, at: number): OnCall {
  return judge(schedule, turnsOf(schedule.rota)(at), at);
}

/**
 * Says who is on call in a period, in spans that meet without gap or overlap. A span ends where the person, the
 * source or the turn changes.
 */
export function coverOf(schedule: OnCallSchedule, from: number, until: number): Cover[] {
  const turnAt = turnsOf(schedule.rota);
  const changes = [...schedule.overrides, ...schedule.leave]
    .flatMap((span) => [span.from, span.until])
    .sort((a, b) => a - b);
  const cover: (Cover & { index: number })[] = [];
  for (let at = from; at < until; ) {
    const turn = turnAt(at);
    const end = Math.min(turn.until, until, changes.find((change) => change > at) ?? until);
    const now = judge(schedule, turn, at);
    const last = cover.at(-1);
    // Spans without a person and overrides go on across a handover.
    const isSame =
      last?.source === now.source &&
      (now.person === null || (last.person && personKey(last.person) === personKey(now.person))) &&
      (now.source !== 'rota' || last.index === turn.index);
    if (last && isSame) last.until = end;
    else cover.push({ ...now, from: at, until: end, index: turn.index });
    at = end;
  }
  return cover.map(({ index: _, ...span }) => span);
}

/** Spans of a period in which nobody is on call. */
export function gapsOf(
  schedule: OnCallSchedule,
  from: number,
  until: number,
): { from: number; until: number }[] {
  return coverOf(schedule, from, until)
    .filter(({ person }) => person === null)
    .map((span) => ({ from: span.from, until: span.until }));
}
