import type { AlarmState, LimitRule } from '@isotherm/domain/alarms/alarm-machine';
import { type AlarmEndReason, SILENCE_KINDS } from '@isotherm/domain/alarms/catalogue';
import type { Tx } from '../../platform/db/pool.ts';
import { forgetSilences, loadStates } from './alarms.repo.ts';
import { type Announced, endAlarms } from './episodes.repo.ts';
import { type Outcome, writeOutcomes } from './fresh-readings.ts';
import type { ChannelPlan } from './rule-book.ts';

/**
 * Ends the alarms of rules that are no longer in force from the moment `now` on. If no other rule holds an
 * alarm open, it ends; otherwise it continues with the level of the other rule. `plans` are the rules of the
 * channels before the change. The caller holds the advisory locks of their devices.
 */
export async function endOfRules(
  tx: Tx,
  plans: ReadonlyMap<number, ChannelPlan>,
  closed: ReadonlyMap<number, AlarmEndReason>,
  now: number,
): Promise<Announced[]> {
  if (closed.size === 0 || plans.size === 0) return [];
  const { machines, silences } = await loadStates(tx, [...plans.keys()]);
  const outcomes: Outcome[] = [];
  for (const [channelId, before] of machines) {
    const plan = plans.get(channelId);
    const gone = plan?.limit.filter((rule) => closed.has(rule.id) && before.has(rule.id)) ?? [];
    if (!plan || gone.length === 0) continue;
    const states = new Map(before);
    for (const rule of gone) states.delete(rule.id);
    outcomes.push({
      plan,
      before,
      states,
      effects: gone
        .filter((rule) => isHeldBy(before, rule))
        .map((rule) => ({
          at: now,
          rule,
          effect: { type: 'end', endedAt: now, reason: closed.get(rule.id) as AlarmEndReason },
        })),
    });
  }
  const announced = outcomes.length > 0 ? await writeOutcomes(tx, outcomes, now) : [];

  const over = silences.filter(({ ruleId }) => closed.has(ruleId));
  if (over.length === 0) return announced;
  await forgetSilences(tx, over);
  for (const reason of new Set(over.map(({ ruleId }) => closed.get(ruleId) as AlarmEndReason))) {
    const ends = over
      .filter(({ ruleId }) => closed.get(ruleId) === reason)
      .map(({ alarmChannelId }) => alarmChannelId);
    const ended = await endAlarms(
      tx,
      [...new Set(ends)].map((channelId) => ({ channel_id: channelId, ended_at: now })),
      SILENCE_KINDS,
      reason,
      now,
    );
    announced.push(...ended.map(({ id }): Announced => ({ id, topic: 'alarm.changed' })));
  }
  return announced;
}

function isHeldBy(states: ReadonlyMap<number, AlarmState>, rule: LimitRule): boolean {
  const phase = states.get(rule.id)?.phase;
  return phase === 'active' || phase === 'recovering';
}
