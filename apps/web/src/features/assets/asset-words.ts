import type { AssetCard, AssetState, ChannelValue } from '@isotherm/contracts/assets';
import { INDICATORS } from '@isotherm/domain/readings/indicator';
import { deviationText, faultLabel, levelLabel, switchLabel } from '../../shared/format/labels.ts';
import { indicatorValue, unitOf } from '../../shared/format/number.ts';
import type { Text } from '../../shared/i18n/use-text.ts';

/** `2.0 to 8.0 °C`, or the one limit there is; an on/off channel's limit is the word that it should say. */
export function limitsText(channel: ChannelValue, text: Text): string {
  const { indicator, low, high } = channel;
  if (!isQuantity(channel)) {
    if (low === null && high === null) return text('asset.limits.none');
    return text(switchLabel(indicator, low === null ? 0 : 1));
  }
  const unit = unitOf(indicator);
  if (low !== null && high !== null) {
    return text('asset.limits.between', {
      low: indicatorValue(indicator, low),
      high: indicatorValue(indicator, high),
      unit,
    });
  }
  if (high !== null) return text('asset.limits.at-most', { limit: indicatorValue(indicator, high), unit });
  if (low !== null) return text('asset.limits.at-least', { limit: indicatorValue(indicator, low), unit });
  return text('asset.limits.none');
}

/** `Level 5 · Too warm` */
export function stateTitle(state: AssetState, text: Text): string {
  switch (state.kind) {
    case 'alarm': {
      const fault = faultLabel(state.indicator, state.alarmKind, text);
      return text('monitor.state.alarm', { level: levelLabel(state.level, text), fault });
    }
    case 'pending':
      return text('monitor.state.pending');
    case 'unknown':
      return text('monitor.state.unknown');
    case 'normal':
      return text('monitor.state.normal');
  }
}

/** `4.8 above 10.0`: against the limit of the state that is shown, which need not be the tightest. */
export function deviationOf({ state, main }: AssetCard, text: Text): string | null {
  if (!main || main.value === null) return null;
  const { indicator, value, low, high } = main;
  const limits =
    state.kind === 'alarm' || state.kind === 'pending'
      ? {
          low: state.alarmKind === 'low' ? state.limitValue : low,
          high: state.alarmKind === 'high' ? state.limitValue : high,
        }
      : { low, high };
  return deviationText(indicator, value, limits, text);
}

/** True when the newest value is too old to be shown at full strength: the asset is silent. */
export function isSilent(card: AssetCard): boolean {
  return card.state.kind === 'unknown' || (card.state.kind === 'alarm' && card.state.alarmKind === 'no-data');
}

export function isQuantity(channel: Pick<ChannelValue, 'indicator'>): boolean {
  return INDICATORS[channel.indicator].kind === 'quantity';
}
