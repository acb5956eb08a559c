import {
  type AlarmState,
  isFarther,
  isOutside,
  type LimitRule,
  NORMAL,
} from '@isotherm/domain/alarms/alarm-machine';
import { LIMIT_KINDS } from '@isotherm/domain/alarms/catalogue';
import { foldEpisodes, type HoldingRules, type RuleEffect } from '@isotherm/domain/alarms/episode';
import { judge } from '@isotherm/domain/alarms/judge';
import { alarmAsEpisode, type StoredAlarm } from '@isotherm/domain/alarms/reconcile';
import { dayOf, withoutPeaks } from '@isotherm/domain/alarms/replay';
import { DAY_MS } from '@isotherm/domain/readings/sealed-day';
import type { Tx } from '../../platform/db/pool.ts';
import type { StoredBatch } from '../telemetry/index.ts';
import { changedRow, newRow } from './alarm-rows.ts';
import { type StateChange, saveStates } from './alarms.repo.ts';
import { type ChannelCheckpoint, saveCheckpoints } from './checkpoints.repo.ts';
import {
  type AlarmRow,
  type Announced,
  type ChangedAlarm,
  changeAlarms,
  insertAlarms,
  loadOpenAlarms,
  newsOfInserted,
} from './episodes.repo.ts';
import type { ChannelPlan } from './rule-book.ts';
import { loadTracks, type Track } from './tracks.ts';

/** If a reading takes longer than this to reach the server, its alarm is marked as late (decision 7). */
const LATE_AFTER_MS = 5 * 60_000;

type Slice = StoredBatch['fresh'][number];

/** Result of the limit rules of a channel for its new readings. */
export interface Outcome {
  plan: ChannelPlan;
  /** States before the readings. */
  before: ReadonlyMap<number, AlarmState>;
  states: Map<number, AlarmState>;
  effects: RuleEffect[];
}

/**
 * Evaluates limits for readings that are newer than all others of their channels. Most of these readings
 * change nothing.
 */
export async function evaluateFresh(
  tx: Tx,
  { batch, receivedAt }: StoredBatch,
  slices: readonly { slice: Slice; plan: ChannelPlan }[],
  known: ReadonlyMap<number, ReadonlyMap<number, AlarmState>>,
): Promise<Announced[]> {
  const outcomes: Outcome[] = [];
  const checkpoints: ChannelCheckpoint[] = [];
  const tracks = await loadTracks(
    tx,
    slices
      .filter(({ slice, plan }) => plan.reachMs > 0 && needsTrack(plan, batch, slice))
      .map(({ slice: { from, to }, plan }) => ({
        plan,
        from: batch.at[from] as number,
        to: (batch.at[to - 1] as number) + 1,
      })),
  );
  for (const { slice, plan } of slices) {
    const before = known.get(plan.channelId) ?? NO_STATES;
    const track = tracks.get(plan.channelId);
    const outcome = evaluateSlice(plan, before, batch, slice, checkpoints, track);
    if (outcome) outcomes.push(outcome);
  }
  if (checkpoints.length > 0) await saveCheckpoints(tx, checkpoints);
  return outcomes.length > 0 ? writeOutcomes(tx, outcomes, receivedAt) : [];
}

const NO_STATES: ReadonlyMap<number, AlarmState> = new Map();

/**
 * True if the evaluation depends on earlier readings or on other channels. A defrost matters only where a reading is
 * outside the limit.
 */
function needsTrack(plan: ChannelPlan, { value }: StoredBatch['batch'], { from, to }: Slice): boolean {
  return plan.limit.some((rule) => {
    if (rule.signal) return true;
    if (!rule.defrost) return false;
    for (let i = from; i < to; i++) if (isOutside(rule, value[i] as number)) return true;
    return false;
  });
}

function evaluateSlice(
  plan: ChannelPlan,
  before: ReadonlyMap<number, AlarmState>,
  batch: StoredBatch['batch'],
  { from, to }: Slice,
  checkpoints: ChannelCheckpoint[],
  track: Track | undefined,
): Outcome | null {
  let states: Map<number, AlarmState> | null = null;
  const effects: RuleEffect[] = [];
  let day = lastDayOf(before) ?? dayOf(batch.at[from] as number);
  for (let start = from; start < to; ) {
    const nextDay = dayOf(batch.at[start] as number);
    const current = states ?? before;
    if (nextDay > day && current.size > 0)
      checkpoints.push({
        channelId: plan.channelId,
        day: day + 1,
        untilDay: nextDay,
        states: withoutPeaks(current),
      });
    day = nextDay;
    const end = endOfDay(batch.at, start, to, day);
    for (const rule of plan.limit) {
      const signal = track?.signals.get(rule.id);
      const defrosting = track?.defrosts.get(rule.id);
      // The columns of a track cover only the readings of the slice, so their index starts at 0.
      const isOfSlice = signal !== undefined || defrosting !== undefined;
      const first = isOfSlice ? from : 0;
      const at = isOfSlice ? batch.at.subarray(from, to) : batch.at;
      const value = signal ?? (isOfSlice ? batch.value.subarray(from, to) : batch.value);
      const readings = { at, value, defrosting, from: start - first, to: end - first };
      const result = judge(rule, (states ?? before).get(rule.id) ?? NORMAL, readings, plan.quiet);
      if (!result) continue;
      states ??= new Map(before);
      if (result.state.phase === 'normal') states.delete(rule.id);
      else states.set(rule.id, result.state);
      for (const { effect, index } of result.effects) effects.push({ at: at[index] as number, rule, effect });
    }
    start = end;
  }
  return states ? { plan, before, states, effects } : null;
}

/** Day of the last reading evaluated by rules that are not in the normal state; null if all are normal. */
export function lastDayOf(states: ReadonlyMap<number, AlarmState>): number | null {
  let last: number | null = null;
  for (const state of states.values())
    if (state.phase !== 'normal') last = Math.max(last ?? state.lastAt, state.lastAt);
  return last === null ? null : dayOf(last);
}

function endOfDay(at: Float64Array, start: number, to: number, day: number): number {
  if ((at[to - 1] as number) < (day + 1) * DAY_MS) return to;
  let end = start;
  while (end < to && (at[end] as number) < (day + 1) * DAY_MS) end++;
  return end;
}

/** Writes the alarms and states that the evaluation of the rules produced. */
export async function writeOutcomes(
  tx: Tx,
  outcomes: readonly Outcome[],
  receivedAt: number,
): Promise<Announced[]> {
  const affected = outcomes.filter(({ effects }) => effects.length > 0).map(({ plan }) => plan.channelId);
  const open = affected.length > 0 ? await loadOpenAlarms(tx, affected) : new Map<number, StoredAlarm[]>();
  const changed: ChangedAlarm[] = [];
  const inserted: AlarmRow[] = [];
  const states: StateChange[] = [];
  for (const { plan, before, states: after, effects } of outcomes) {
    for (const rule of plan.limit) {
      const state = after.get(rule.id) ?? null;
      if (state !== (before.get(rule.id) ?? null))
        states.push({ channel_id: plan.channelId, rule_id: rule.id, state });
    }
    for (const kind of effects.length > 0 ? LIMIT_KINDS : []) {
      const alarm = open.get(plan.channelId)?.find((candidate) => candidate.kind === kind) ?? null;
      const own = effects.filter(({ rule }) => rule.kind === kind);
      if (own.length === 0) continue;
      const rules = plan.limit.filter((rule) => rule.kind === kind);
      const episodes = foldEpisodes(
        alarm && alarmAsEpisode(alarm),
        holdingOf(rules, before),
        own,
        () => rules,
      );
      for (const episode of episodes) {
        if (episode.alarmId === null)
          inserted.push(newRow(plan, episode, receivedAt - episode.raisedAt > LATE_AFTER_MS, receivedAt));
        else if (alarm && (episode.events.length > 0 || isFarther(kind, episode.peak, alarm.peak)))
          changed.push(changedRow(alarm, episode, receivedAt, null));
      }
    }
  }
  const announced: Announced[] = [];
  if (changed.length > 0) announced.push(...(await changeAlarms(tx, changed)));
  if (inserted.length > 0) announced.push(...newsOfInserted(await insertAlarms(tx, inserted)));
  if (states.length > 0) await saveStates(tx, states);
  return announced;
}

function isHolding(state: AlarmState | undefined): boolean {
  return state?.phase === 'active' || state?.phase === 'recovering';
}

/** The rules whose state says that they hold an alarm open. */
export function holdingOf(
  rules: readonly LimitRule[],
  states: ReadonlyMap<number, AlarmState>,
): HoldingRules {
  const holding: HoldingRules = new Map();
  for (const rule of rules) {
    const state = states.get(rule.id);
    if (isHolding(state))
      holding.set(rule.id, { level: rule.level, recovering: state?.phase === 'recovering' });
  }
  return holding;
}
