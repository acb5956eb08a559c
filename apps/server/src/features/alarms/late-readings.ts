import { type AlarmState, isFarther, isOutside } from '@isotherm/domain/alarms/alarm-machine';
import { LIMIT_KINDS, type LimitKind } from '@isotherm/domain/alarms/catalogue';
import { type Episode, foldEpisodes } from '@isotherm/domain/alarms/episode';
import { isQuiet } from '@isotherm/domain/alarms/quiet-time';
import {
  continueAs,
  reconcile,
  rewind,
  type StoredAlarm,
  wasHolding,
} from '@isotherm/domain/alarms/reconcile';
import {
  type Checkpoint,
  checkpointAt,
  dayOf,
  hasCheckpoints,
  isCalm,
  type MachineStates,
  type Replay,
  replayChannel,
} from '@isotherm/domain/alarms/replay';
import { DAY_MS } from '@isotherm/domain/readings/sealed-day';
import { firstAtOrAfter } from '@isotherm/domain/readings/series';
import type { Tx } from '../../platform/db/pool.ts';
import { readLatestTimes } from '../telemetry/index.ts';
import { loadCheckpoints } from './checkpoints.repo.ts';
import { type Announced, loadAlarmsSince } from './episodes.repo.ts';
import { holdingOf } from './fresh-readings.ts';
import { type ReplayedChannel, writeReplays } from './late-writes.ts';
import type { ChannelPlan } from './rule-book.ts';
import { comparedAt, loadTracks, NO_TRACK, type Track, trackFrom } from './tracks.ts';

/** A range of readings of a channel that arrived after newer readings. Times in epoch ms. */
export interface LateStretch {
  plan: ChannelPlan;
  earliest: number;
  /** The latest moment whose evaluation depends on these readings. */
  latest: number;
  /**
   * Time of the first newer reading in the same batch; readings from this time on are evaluated afterwards.
   * Infinity if there is none.
   */
  before: number;
}

/** A channel whose replay is not complete yet. A replay takes one or more rounds. */
interface Task extends LateStretch {
  /** End of the replay (excluded): just after the newest reading to replay. */
  end: number;
  from: number;
  to: number;
  /** Number of days by which the time window extends beyond the late readings. */
  reach: number;
  /** True from the second round on: the replay starts at the midnight before the late readings. */
  fromMidnight: boolean;
}

/** Where a replay starts. */
interface Start {
  from: number;
  states: MachineStates;
  track: Track;
}

/** A complete replay, with the resulting episodes and the stored alarms of each kind. */
interface Draft {
  task: Task;
  replay: Replay;
  from: number;
  until: number;
  lastAt: number;
  kinds: { alarms: StoredAlarm[]; episodes: Episode[]; continued: StoredAlarm | null }[];
  /** Stored checkpoints; null if they were not loaded. */
  stored: readonly Checkpoint[] | null;
}

/** An episode whose peak may lie outside the time range that was replayed. */
interface Doubt {
  plan: ChannelPlan;
  episode: Episode;
  end: number;
}

/**
 * How far around the late readings the first round searches, as a multiple of the gap allowance. Usually
 * there is a calm reading on both sides within this distance.
 */
const NEAR = 1;

/**
 * Evaluates late readings of any number of channels together, in rounds; each round loads the readings,
 * alarms and checkpoints of all its channels at once. The first round loads only the readings nearby: if the
 * channel was calm before and after, the replay is short. The remaining channels start at the previous
 * midnight, for which the states of the rules are stored unless they were normal, and continue until the
 * replayed states equal the stored ones. `states` holds the current states of the rules; they are replaced
 * if a replay reaches the newest reading.
 */
export async function evaluateLate(
  tx: Tx,
  stretches: readonly LateStretch[],
  states: Map<number, Map<number, AlarmState>>,
  receivedAt: number,
): Promise<Announced[]> {
  if (stretches.length === 0) return [];
  // If newer readings of the same batch follow a range, the end of its replay is known.
  const open = stretches.filter(({ before }) => before === Number.POSITIVE_INFINITY);
  const newest =
    open.length > 0
      ? await readLatestTimes(
          tx,
          open.map(({ plan }) => plan.channelId),
        )
      : new Map<number, number>();
  const done: ReplayedChannel[] = [];
  let tasks = stretches.map((stretch) => nearTask(stretch, newest.get(stretch.plan.channelId)));
  while (tasks.length > 0) tasks = await playRound(tx, tasks, states, done, receivedAt);
  const announced = await writeReplays(tx, done, states, receivedAt);
  for (const { plan, replay } of done) if (!replay.settled) states.set(plan.channelId, replay.states);
  return announced;
}

function nearTask(stretch: LateStretch, newest: number | undefined): Task {
  const near = NEAR * gapAllowanceOf(stretch.plan);
  return {
    ...stretch,
    end: Number.isFinite(stretch.before) ? stretch.before : (newest ?? stretch.latest) + 1,
    from: stretch.earliest - near,
    to: stretch.latest + near,
    reach: 0,
    fromMidnight: false,
  };
}

const gapAllowanceOf = ({ versions }: ChannelPlan) =>
  versions.reduce((longest, { rule }) => Math.max(longest, rule.gapAllowanceMs), 0);

/** Replays all tasks once and returns those that need more history before or after. */
async function playRound(
  tx: Tx,
  tasks: readonly Task[],
  states: ReadonlyMap<number, MachineStates>,
  done: ReplayedChannel[],
  receivedAt: number,
): Promise<Task[]> {
  const tracks = await loadTracks(
    tx,
    tasks.map(({ plan, from, to, end }) => ({ plan, from, to: Math.min(to, end) })),
  );
  const alarms = await loadAlarmsSince(
    tx,
    tasks.map(({ plan, from }) => ({
      channelId: plan.channelId,
      from,
      hasTimeout: (plan.timeouts.at(-1) ?? 0) > from,
    })),
  );
  const checkpoints = await checkpointsOf(
    tx,
    tasks.filter(({ fromMidnight }) => fromMidnight),
  );
  const open: Task[] = [];
  const drafts: Draft[] = [];
  const doubts: Doubt[] = [];
  for (const task of tasks) {
    const id = task.plan.channelId;
    const known = alarms.get(id) ?? [];
    const track = tracks.get(id) ?? NO_TRACK;
    const stored = task.fromMidnight ? (checkpoints.get(id) ?? []) : null;
    const start = stored
      ? startAtMidnight(task, known, stored, states.get(id) ?? NO_STATES, track, receivedAt)
      : startAtRest(task, known, track);
    if (typeof start === 'number') {
      open.push({
        ...task,
        from: start,
        fromMidnight: true,
        to: stored ? task.to : toAfter(task, 0),
        reach: 1,
      });
      continue;
    }
    const replay = replayChannel({
      rules: task.plan,
      states: start.states,
      readings: start.track.readings,
      signals: start.track.signals,
      defrosts: start.track.defrosts,
      nextAt: task.before,
      latest: task.latest,
      // A device that expires later has not expired yet.
      ...(task.plan.expiresAt > receivedAt ? { endsUntil: task.plan.expiresAt - 1 } : {}),
      checkpoints: stored,
      wasHolding: (at) => known.some((alarm) => wasHolding(alarm, at)),
    });
    if (!replay.settled && task.to < task.end) {
      open.push(
        task.fromMidnight
          ? { ...task, to: toAfter(task, task.reach), reach: 2 * task.reach }
          : { ...task, from: midnightOf(task.earliest), fromMidnight: true, to: toAfter(task, 0), reach: 1 },
      );
      continue;
    }
    drafts.push({ ...draftOf(task, known, start, replay, doubts), stored });
  }
  await findPeaks(tx, doubts);
  for (const draft of drafts) done.push(toReplayed(draft));
  return open;
}

const midnightOf = (at: number) => dayOf(at) * DAY_MS;

/** The time 6:00 UTC on the day that is `days` + 1 days after the day of the late readings. */
const toAfter = ({ latest }: Task, days: number) => midnightOf(latest) + (1 + days) * DAY_MS + DAY_MS / 4;

function checkpointsOf(tx: Tx, tasks: readonly Task[]): Promise<Map<number, Checkpoint[]>> {
  if (tasks.length === 0) return Promise.resolve(new Map());
  return loadCheckpoints(
    tx,
    tasks.map(({ plan, from, to }) => ({
      channelId: plan.channelId,
      fromDay: dayOf(from),
      toDay: dayOf(to),
    })),
  );
}

const NO_STATES: MachineStates = new Map();

/**
 * Starts after the last calm reading before the late ones at which no alarm was open. If there is no such
 * reading nearby, returns the midnight from which to start instead.
 */
function startAtRest(task: Task, known: readonly StoredAlarm[], track: Track): Start | number {
  const { at: times } = track.readings;
  for (let i = firstAtOrAfter(times, task.earliest) - 1; i >= 0; i--) {
    const at = times[i] as number;
    if (!isCalm(task.plan, at, comparedAt(track, i)) || known.some((alarm) => wasHolding(alarm, at)))
      continue;
    return { from: times[i + 1] as number, states: NO_STATES, track: trackFrom(track, i + 1) };
  }
  return midnightOf(task.earliest);
}

/** If the states at a midnight are not known, earlier ones are tried, until one is at least this many days before. */
const MAX_BACK_DAYS = 100;

/**
 * Starts at the midnight where the window begins, with its checkpoint. If that midnight was passed only after a
 * rule had ended, nobody stored the state of this rule, and the replay starts on an earlier day. Without a checkpoint, the current states (`latest`)
 * hold if no reading has been evaluated since that midnight, for example because the device had expired; otherwise
 * the channel was calm. If a stored alarm contradicts that (it is older than the checkpoints), the replay starts
 * on the day on which that alarm began.
 */
function startAtMidnight(
  task: Task,
  known: readonly StoredAlarm[],
  stored: readonly Checkpoint[],
  latest: MachineStates,
  track: Track,
  receivedAt: number,
): Start | number {
  const backMs = midnightOf(task.earliest) - task.from;
  if (backMs < MAX_BACK_DAYS * DAY_MS && hasUnseenEnd(task, track, receivedAt))
    return task.from - backMs - DAY_MS;
  const checkpoint = checkpointAt(stored, dayOf(task.from));
  if (checkpoint) return { from: task.from, states: checkpoint.states, track };
  const evaluatedBefore = [...latest].filter(
    ([, state]) => state.phase !== 'normal' && state.lastAt < task.from,
  );
  if (evaluatedBefore.length > 0) return { from: task.from, states: new Map(evaluatedBefore), track };
  const older = known.find((alarm) => heldBefore(alarm, task.from));
  if (older) return midnightOf(Math.min(older.since, older.impliedSince ?? older.since));
  return { from: task.from, states: NO_STATES, track };
}

/** True if a rule was in force when the window begins, but had ended at the first reading that was evaluated there. */
function hasUnseenEnd(
  { plan, from, earliest, latest }: Task,
  { readings }: Track,
  receivedAt: number,
): boolean {
  const isEvaluated = (at: number) => at < earliest || at > latest;
  const first = readings.at.find(isEvaluated) ?? Number.POSITIVE_INFINITY;
  return plan.versions.some(
    (version) => version.from < from && from < version.until && version.until <= Math.min(first, receivedAt),
  );
}

/** True if the alarm was open at a given time or just before it. */
function heldBefore(alarm: StoredAlarm, moment: number): boolean {
  const began = Math.min(alarm.since, alarm.impliedSince ?? alarm.since);
  return began < moment && (wasHolding(alarm, moment) || wasHolding(alarm, moment - 1));
}

/**
 * True if an alarm was raised before a given time. If its excursion began before that time but reached the
 * trigger delay only afterwards, a replay up to that time neither confirms nor refutes the alarm.
 */
function wasRaisedBefore({ raisedAt, impliedSince }: StoredAlarm, moment: number): boolean {
  return raisedAt < moment || (impliedSince !== null && impliedSince < moment);
}

function draftOf(
  task: Task,
  known: readonly StoredAlarm[],
  start: Start,
  replay: Replay,
  doubts: Doubt[],
): Omit<Draft, 'stored'> {
  const until = replay.settled?.at ?? Number.POSITIVE_INFINITY;
  const kinds = LIMIT_KINDS.map((kind) => {
    const own = known.filter((alarm) => alarm.kind === kind);
    const { episodes, continued } = episodesOf(task, kind, own, start, replay, doubts);
    const alarms = own.filter(
      (alarm) => wasRaisedBefore(alarm, until) && (alarm.endedAt ?? Number.POSITIVE_INFINITY) >= start.from,
    );
    return { alarms, episodes, continued };
  });
  const lastAt = start.track.readings.at.at(-1) ?? task.latest;
  return { task, replay, from: start.from, until, lastAt, kinds };
}

function episodesOf(
  { plan, end }: Task,
  kind: LimitKind,
  alarms: readonly StoredAlarm[],
  start: Start,
  replay: Replay,
  doubts: Doubt[],
): { episodes: Episode[]; continued: StoredAlarm | null } {
  const versions = plan.versions.filter(({ rule }) => rule.kind === kind);
  const holding = holdingOf(
    versions.map(({ rule }) => rule),
    start.states,
  );
  const isOpenAt = (moment: number) => (alarm: StoredAlarm) =>
    wasRaisedBefore(alarm, moment) && heldBefore(alarm, moment);
  const before = holding.size > 0 ? alarms.find(isOpenAt(start.from)) : undefined;
  const begun = before && rewind(before, start.from);
  const episodes = foldEpisodes(
    begun?.episode ?? null,
    holding,
    replay.effects.filter(({ rule }) => rule.kind === kind),
    (at) => versions.filter(({ from, until }) => from <= at && at < until).map(({ rule }) => rule),
  );
  let continued: StoredAlarm | null = null;
  const last = episodes.at(-1);
  if (replay.settled?.as === 'same' && last && last.endedAt === null) {
    const { at } = replay.settled;
    continued = alarms.find(isOpenAt(at)) ?? null;
    if (continued) {
      const merged = continueAs(last, continued, at);
      episodes[episodes.length - 1] = merged.episode;
      if (!merged.isPeakKnown && isFarther(kind, continued.peak, merged.episode.peak))
        doubts.push({ plan, episode: merged.episode, end });
    }
  }
  const first = episodes[0];
  if (before && begun && !begun.isPeakKnown && first && isFarther(kind, before.peak, first.peak))
    doubts.push({ plan, episode: first, end });
  return { episodes, continued };
}

/**
 * Searches the readings for the peaks of episodes that began before the replayed range or continue after it.
 */
async function findPeaks(tx: Tx, doubts: readonly Doubt[]): Promise<void> {
  for (const { plan, episode, end } of doubts) {
    const to = episode.endedAt ?? end;
    const tracks = await loadTracks(tx, [{ plan, from: episode.since, to }]);
    const track = tracks.get(plan.channelId) ?? NO_TRACK;
    const versions = plan.versions.filter(({ rule }) => rule.kind === episode.kind);
    let peak: { value: number; at: number } | null = null;
    for (const [index, at] of track.readings.at.entries()) {
      if (isQuiet(plan.quiet, at)) continue;
      const compared = comparedAt(track, index);
      for (const { rule, from, until } of versions)
        if (from <= at && at < until && isOutside(rule, compared(rule)))
          if (!peak || isFarther(episode.kind, compared(rule), peak.value))
            peak = { value: compared(rule), at };
    }
    if (!peak) continue;
    episode.peak = peak.value;
    episode.peakAt = peak.at;
  }
}

function toReplayed({ task, replay, from, until, lastAt, kinds, stored }: Draft): ReplayedChannel {
  const lastDay = dayOf(replay.settled?.at ?? lastAt);
  return {
    plan: task.plan,
    replay,
    from,
    until,
    lastDay,
    isCheckpointed: stored !== null && hasCheckpoints(stored, replay.checkpoints, dayOf(from), lastDay),
    amendments: kinds.flatMap((kind) => reconcile({ ...kind, from, until, refutedAt: lastAt })),
  };
}
