import type { AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import type { AssetKind } from '@isotherm/domain/assets/asset-kind';
import type { Indicator } from '@isotherm/domain/readings/indicator';
import type { TextId } from '@isotherm/i18n/text-id';
import type { Text } from '../i18n/use-text.ts';
import { indicatorValue } from './number.ts';

export const ASSET_KIND_LABEL: Record<AssetKind, TextId> = {
  'cold-store': 'asset.kind.cold-store',
  refrigerator: 'asset.kind.refrigerator',
  'cold-box': 'asset.kind.cold-box',
  vehicle: 'asset.kind.vehicle',
  container: 'asset.kind.container',
};

export const INDICATOR_LABEL: Record<Indicator, TextId> = {
  temperature: 'common.indicator.temperature',
  humidity: 'common.indicator.humidity',
  battery: 'common.indicator.battery',
  signal: 'common.indicator.signal',
  voltage: 'common.indicator.voltage',
  power: 'common.indicator.power',
  door: 'common.indicator.door',
  defrost: 'common.indicator.defrost',
  illuminance: 'common.indicator.illuminance',
  oxygen: 'common.indicator.oxygen',
  'carbon-dioxide': 'common.indicator.carbon-dioxide',
  slope: 'common.indicator.slope',
  acceleration: 'common.indicator.acceleration',
  amplitude: 'common.indicator.amplitude',
  button: 'common.indicator.button',
};

/** Texts for the states of an on/off channel: off first, then on. */

export function levelLabel(level: AlarmLevel, text: Text): string {
  return text('alarms.level', { level });
}

/** Returns a deviation such as `4.7 above 8.0`; empty if the value is within its limits or there are none. */
export function deviationText(
  indicator: Indicator,
  value: number,
  limits: { low: number | null; high: number | null },
  text: Text,
): string | null {
  const { low, high } = limits;
  if (high !== null && value > high) {
    return text('alarms.deviation.above', {
      amount: indicatorValue(indicator, value - high),
      limit: indicatorValue(indicator, high),
    });
  }
  if (low !== null && value < low) {
    return text('alarms.deviation.below', {
      amount: indicatorValue(indicator, low - value),
      limit: indicatorValue(indicator, low),
    });
  }
  return null;
}
