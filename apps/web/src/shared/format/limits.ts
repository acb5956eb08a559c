import { INDICATORS, type Indicator } from '@isotherm/domain/readings/indicator';
import { switchLabel } from '@isotherm/i18n/alarm-words';
import type { Text } from '../i18n/use-text.ts';
import { indicatorValue, unitOf } from './number.ts';

/** Returns `2.0 to 8.0 °C`, or the only limit; for an on/off channel the expected state. */
export function limitsText(
  { indicator, low, high }: { indicator: Indicator; low: number | null; high: number | null },
  text: Text,
): string {
  if (INDICATORS[indicator].kind !== 'quantity') {
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
