import { type AlarmEffect, type AlarmState, isOutside, type LimitRule, step } from './alarm-machine.ts';
import { hush, isQuiet, type QuietSpan } from './quiet-time.ts';

/** Readings of one channel in order of time, as parallel columns: times in epoch ms, and values. */
export interface ReadingColumns {
  at: ArrayLike<number>;
  value: ArrayLike<number>;
  /** 1 for a reading at which a defrost is detected; absent: at none. */
  defrosting?: ArrayLike<number> | undefined;
  from: number;
  to: number;
}

export interface Judgement {
  state: AlarmState;
  effects: { effect: AlarmEffect; index: number }[];
}

/**
 * Evaluates a rule for new readings of its channel. Null means that nothing changed. In the usual case, a
 * channel within its limits, this costs one comparison per reading and no allocation. Readings in quiet
 * spans are not evaluated, and neither are readings whose value is NaN because the signal of the rule is
 * unknown.
 */
export function judge(
  rule: LimitRule,
  before: AlarmState,
  readings: ReadingColumns,
  quiet: readonly QuietSpan[] = [],
): Judgement | null {
  let state = before;
  let effects: Judgement['effects'] | null = null;
  for (let index = readings.from; index < readings.to; index++) {
    const value = readings.value[index] as number;
    if (state.phase === 'normal' && !isOutside(rule, value)) continue;
    const at = readings.at[index] as number;
    if (Number.isNaN(value) || isQuiet(quiet, at)) {
      state = hush(state, at);
      continue;
    }
    const result = step(rule, state, { at, value, defrosting: readings.defrosting?.[index] === 1 });
    state = result.state;
    for (const effect of result.effects) {
      effects ??= [];
      effects.push({ effect, index });
    }
  }
  if (state === before && effects === null) return null;
  return { state, effects: effects ?? [] };
}
