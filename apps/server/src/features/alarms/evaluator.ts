import type { AlarmEffect, AlarmState, LimitRule, NoDataRule } from '@isotherm/domain/alarms/alarm-machine';
import { NORMAL, step } from '@isotherm/domain/alarms/alarm-machine';
import { judge } from '@isotherm/domain/alarms/judge';
import type { Tx } from '../../platform/db/pool.ts';
import type { AfterCommit, StoredBatch } from '../telemetry/index.ts';
import {
  type AlarmChange,
  type Announced,
  changeOpenAlarms,
  insertAlarms,
  loadStates,
  type NewAlarm,
  type StateChange,
  saveStates,
} from './alarms.repo.ts';
import { judgeLateReadings } from './late-readings.ts';
import type { ChannelRules, RuleBook } from './rule-book.ts';

/** What is told to others once a batch is durable. */
export interface News {
  alarms: Announced[];
  /** Assets of which something changed. */
  assetIds: number[];
}

/** A reading that took longer than this to reach the server makes its alarm a late one (decision 7). */
export const LATE_AFTER_MS = 5 * 60_000;

/** Everything that judging decided, to be written set by set. */
export class Verdicts {
  readonly states: StateChange[] = [];
  readonly raised: NewAlarm[] = [];
  readonly changed: AlarmChange[] = [];

  constructor(readonly recordedAt: number) {}

  /** Turns the effects of one rule on one channel into rows. Effects are in order of event time. */
  add(
    channel: ChannelRules,
    rule: LimitRule | NoDataRule,
    state: AlarmState,
    effects: readonly AlarmEffect[],
    late: boolean,
  ): void {
    const key = { channel_id: channel.channelId, rule_id: rule.id };
    this.states.push({ ...key, state: state.phase === 'normal' ? null : state });
    let fresh: NewAlarm | null = null;
    let change: AlarmChange | null = null;
    for (const effect of effects) {
      if (effect.type === 'raise') {
        fresh = this.#raise(channel, rule, effect, late);
        continue;
      }
      if (fresh) {
        applyToNew(fresh, effect);
      } else {
        change ??= { ...key, state: null, peak_value: null, peak_at: null, ended_at: null, end_reason: null };
        applyToOpen(change, effect);
      }
    }
    if (change) this.changed.push(change);
  }

  #raise(
    channel: ChannelRules,
    rule: LimitRule | NoDataRule,
    effect: AlarmEffect & { type: 'raise' },
    late: boolean,
  ): NewAlarm {
    const alarm: NewAlarm = {
      channel_id: channel.channelId,
      rule_id: rule.id,
      asset_id: channel.assetId,
      organization_id: channel.organizationId,
      kind: rule.kind,
      level: rule.level,
      state: 'active',
      since: effect.since,
      raised_at: effect.raisedAt,
      ended_at: null,
      end_reason: null,
      limit_value: rule.kind === 'no-data' ? null : rule.limit,
      recovery_margin: rule.kind === 'no-data' ? null : rule.recoveryMargin,
      trigger_after_ms: rule.triggerAfterMs,
      value: effect.value,
      peak_value: effect.peak,
      peak_at: effect.peakAt,
      late,
      recorded_at: this.recordedAt,
    };
    this.raised.push(alarm);
    return alarm;
  }

  /** Writes all of it; what stood open is changed before new alarms of the same rule are inserted. */
  async write(tx: Tx): Promise<Announced[]> {
    const announced: Announced[] = [];
    if (this.changed.length > 0) announced.push(...(await changeOpenAlarms(tx, this.changed)));
    if (this.raised.length > 0) announced.push(...(await insertAlarms(tx, this.raised)));
    if (this.states.length > 0) await saveStates(tx, this.states);
    return announced;
  }
}

function stateAfter(effect: AlarmEffect): 'active' | 'recovering' | 'ended' | null {
  if (effect.type === 'recovering') return 'recovering';
  if (effect.type === 'relapse') return 'active';
  return effect.type === 'end' ? 'ended' : null;
}

function applyToNew(alarm: NewAlarm, effect: AlarmEffect): void {
  alarm.state = stateAfter(effect) ?? alarm.state;
  if (effect.type === 'peak') {
    alarm.peak_value = effect.peak;
    alarm.peak_at = effect.peakAt;
  } else if (effect.type === 'end') {
    alarm.ended_at = effect.endedAt;
    alarm.end_reason = effect.reason;
  }
}

function applyToOpen(change: AlarmChange, effect: AlarmEffect): void {
  change.state = stateAfter(effect) ?? change.state;
  if (effect.type === 'peak') {
    change.peak_value = effect.peak;
    change.peak_at = effect.peakAt;
  } else if (effect.type === 'end') {
    change.ended_at = effect.endedAt;
    change.end_reason = effect.reason;
  }
}

/** Judges every batch in the transaction that stores it: no reading is kept undecided. */
export function createEvaluator(rules: RuleBook, announce: (news: News) => void) {
  return async function onBatch(tx: Tx, stored: StoredBatch): Promise<AfterCommit> {
    const { batch, fresh, late, receivedAt } = stored;
    const channelIds = [...new Set([...fresh, ...late].map((slice) => slice.channelId))];
    if (channelIds.length === 0) return () => undefined;
    const book = await rules.of(tx, channelIds);
    const judged = channelIds.filter((id) => {
      const channel = book.get(id);
      return channel !== undefined && channel.limit.length + channel.noData.length > 0;
    });
    const states =
      judged.length > 0 ? await loadStates(tx, judged) : new Map<number, Map<number, AlarmState>>();
    const verdicts = new Verdicts(receivedAt);
    const announced: Announced[] = [];
    const replayed = new Set(late.map((stretch) => stretch.channelId));

    for (const { channelId, from, to } of fresh) {
      const channel = book.get(channelId);
      if (!channel) continue;
      const known = states.get(channelId);
      const readings = { at: batch.at, value: batch.value, from, to };
      if (!replayed.has(channelId))
        for (const rule of channel.limit) {
          const judgement = judge(rule, known?.get(rule.id) ?? NORMAL, readings, channel.quiet.limits);
          if (!judgement) continue;
          const raisedBy = judgement.effects.find(({ effect }) => effect.type === 'raise');
          const isLate =
            raisedBy !== undefined && receivedAt - (batch.at[raisedBy.index] as number) > LATE_AFTER_MS;
          verdicts.add(
            channel,
            rule,
            judgement.state,
            judgement.effects.map(({ effect }) => effect),
            isLate,
          );
        }
      for (const rule of channel.noData) {
        const before = known?.get(rule.id) ?? NORMAL;
        const reading = {
          type: 'reading',
          at: batch.at[from] as number,
          value: batch.value[from] as number,
        } as const;
        const { state, effects } = step(rule, before, reading);
        if (state !== before) verdicts.add(channel, rule, state, effects, false);
      }
    }
    announced.push(...(await verdicts.write(tx)));
    const newestOf = new Map(fresh.map(({ channelId, to }) => [channelId, batch.at[to - 1] as number]));
    for (const { channelId, earliest, latest } of late) {
      const channel = book.get(channelId);
      if (!channel || channel.limit.length === 0) continue;
      // What is new at the channel's end was left to the replay too: it must reach that far.
      const stretch = { earliest, latest: Math.max(latest, newestOf.get(channelId) ?? latest) };
      announced.push(...(await judgeLateReadings(tx, channel, stretch, receivedAt)));
    }

    const assetIds = new Set<number>();
    for (const id of channelIds) {
      const assetId = book.get(id)?.assetId;
      if (assetId != null) assetIds.add(assetId);
    }
    return () => announce({ alarms: announced, assetIds: [...assetIds] });
  };
}
