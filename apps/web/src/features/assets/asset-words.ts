import type { AssetCard, AssetState, ChannelValue } from '@isotherm/contracts/assets';
import type { AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import { KIND_OF } from '@isotherm/domain/alarms/catalogue';
import { INDICATORS } from '@isotherm/domain/readings/indicator';
import { faultWords } from '@isotherm/i18n/alarm-words';
import { deviationText, levelLabel } from '../../shared/format/labels.ts';
import { withUnit } from '../../shared/format/number.ts';
import type { Text } from '../../shared/i18n/use-text.ts';

/**
 * `Level 5 · Too warm`, with the value of the cause if that is not the value shown: `Level 1 · Battery low,
 * 13 %`. An ended alarm has no such value: the present one is back within limits.
 */
export function stateTitle({ state, cause }: Pick<AssetCard, 'state' | 'cause'>, text: Text): string {
  switch (state.kind) {
    case 'alarm':
    case 'ended': {
      const fault = faultWords(state.indicator, state.alarmKind, text);
      const title = text('monitor.state.alarm', { level: levelLabel(state.level, text), fault });
      return state.kind === 'alarm' && cause && cause.value !== null && isQuantity(cause)
        ? text('monitor.state.with-value', { title, value: withUnit(cause.indicator, cause.value) })
        : title;
    }
    case 'pending':
      return text('monitor.state.pending');
    case 'unknown':
      return state.alarm
        ? text('monitor.state.alarm', {
            level: levelLabel(state.alarm.level, text),
            fault: text('monitor.state.unknown'),
          })
        : text('monitor.state.unknown');
    case 'unset':
      return text('monitor.state.unset');
    case 'normal':
      return text('monitor.state.normal');
  }
}

/**
 * `4.7 above 8.0`: deviation of the value shown from the tightest limit in force, so that it does not shrink
 * when an excursion reaches a higher level; from the alarm's own limit if no limits are in force.
 */
export function deviationOf({ state, main, cause }: AssetCard, text: Text): string | null {
  if (!main || main.value === null) return null;
  const { indicator, value } = main;
  const inForce = deviationText(indicator, value, main, text);
  if (inForce !== null || cause !== null || (state.kind !== 'alarm' && state.kind !== 'pending'))
    return inForce;
  const { alarmKind, limitValue } = state;
  const limits = {
    low: alarmKind === KIND_OF.below ? limitValue : null,
    high: alarmKind === KIND_OF.above ? limitValue : null,
  };
  return deviationText(indicator, value, limits, text);
}

/** `peak 12.4 °C` of an ended alarm, `lowest 1.2 °C` where it fell below a limit; null if it has no number. */
export function peakText({ state }: Pick<AssetCard, 'state'>, text: Text): string | null {
  if (state.kind !== 'ended' || state.peakValue === null || !isQuantity(state)) return null;
  const value = withUnit(state.indicator, state.peakValue);
  return state.alarmKind === KIND_OF.below
    ? text('monitor.lowest', { value })
    : text('monitor.peak', { value });
}

/** Who acknowledged the alarm of the state; null if there is none. */
export function ownerText(
  { state, attention }: Pick<AssetCard, 'state' | 'attention'>,
  text: Text,
): string | null {
  const alarm = state.kind === 'unknown' ? state.alarm : state.kind === 'alarm' ? state : null;
  if (!alarm && state.kind !== 'ended')
    return attention > 0 ? text('monitor.attention', { count: attention }) : null;
  const owner = alarm?.acknowledgedBy
    ? text('monitor.acknowledged-by', { name: alarm.acknowledgedBy })
    : text('monitor.nobody');
  return attention > 1 ? text('monitor.and-more', { owner, count: attention - 1 }) : owner;
}

/** Level of the state, for its colour. */
export function levelOf(state: AssetState): AlarmLevel | null {
  if (state.kind === 'unknown') return state.alarm?.level ?? null;
  return 'level' in state ? state.level : null;
}

export function isQuantity(channel: Pick<ChannelValue, 'indicator'>): boolean {
  return INDICATORS[channel.indicator].kind === 'quantity';
}
