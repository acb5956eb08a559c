import type { AssetCard, AssetState, ChannelValue } from '@isotherm/contracts/assets';
import type { AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import { KIND_OF } from '@isotherm/domain/alarms/catalogue';
import { INDICATORS } from '@isotherm/domain/readings/indicator';
import { comparedWords, faultWords } from '@isotherm/i18n/alarm-words';
import { deviationText, levelLabel } from '../format/labels.ts';
import { withUnit } from '../format/number.ts';
import { currentLanguage } from '../i18n/language.ts';
import type { Text } from '../i18n/use-text.ts';

/**
 * Returns the state as text: `Level 5 · Too warm`. If another channel than the shown one causes the alarm,
 * its value is added: `Level 1 · Battery low, 13 %`. For an ended alarm no value is added, because the
 * current value is back within limits.
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
      // "Outside limits" does not describe a power failure or an open door.
      return isQuantity(state) && state.indicator !== 'battery'
        ? text('monitor.state.pending')
        : faultWords(state.indicator, state.alarmKind, text);
    case 'unknown':
      return state.alarm
        ? text('monitor.state.alarm', {
            level: levelLabel(state.alarm.level, text),
            fault: text('monitor.state.unknown'),
          })
        : text('monitor.state.unknown');
    case 'expired':
      return text('monitor.state.expired');
    case 'unset':
      return text('monitor.state.unset');
    case 'normal':
      return text('monitor.state.normal');
  }
}

/**
 * Returns the deviation of the shown value from the tightest limit in force, such as `4.7 above 8.0`. With
 * the tightest limit it does not shrink when an excursion reaches a higher level. If no limits are in force,
 * the alarm's own limit is used.
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

/**
 * Returns the peak of an ended alarm, such as `peak 12.4 °C`, or `lowest 1.2 °C` if the value fell below a
 * limit; null if the alarm has no number.
 */
export function peakText({ state }: Pick<AssetCard, 'state'>, text: Text): string | null {
  if (state.kind !== 'ended' || state.peakValue === null || !isQuantity(state)) return null;
  const value = comparedWords(state.indicator, state.alarmKind, state.peakValue, currentLanguage(), text);
  return state.alarmKind === KIND_OF.below
    ? text('monitor.lowest', { value })
    : text('monitor.peak', { value });
}

/** Returns who acknowledged the alarm of the state; null if there is no alarm. */
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

/** Returns the alarm level of the state, which determines its colour. */
export function levelOf(state: AssetState): AlarmLevel | null {
  if (state.kind === 'unknown') return state.alarm?.level ?? null;
  return 'level' in state ? state.level : null;
}

export function isQuantity(channel: Pick<ChannelValue, 'indicator'>): boolean {
  return INDICATORS[channel.indicator].kind === 'quantity';
}
