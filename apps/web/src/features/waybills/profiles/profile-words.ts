import type { ProductProfile } from '@isotherm/contracts/product-profiles';
import { celsius, EN_RULE, fixed, zoneWords } from '../../../shared/format/number.ts';
import type { Text } from '../../../shared/i18n/use-text.ts';

/** The temperature range of a product: `2.0–8.0 °C`. */
export const rangeWords = ({
  temperatureLow,
  temperatureHigh,
}: Pick<ProductProfile, 'temperatureLow' | 'temperatureHigh'>): string =>
  zoneWords({ zoneMin: temperatureLow, zoneMax: temperatureHigh });

/** The humidity range of a product: `35–75 %RH`, `≤ 75 %RH`. */
export function humidityWords({
  humidityLow,
  humidityHigh,
}: Pick<ProductProfile, 'humidityLow' | 'humidityHigh'>): string {
  if (humidityLow !== null && humidityHigh !== null) return `${humidityLow}–${humidityHigh} %RH`;
  if (humidityHigh !== null) return `≤ ${humidityHigh} %RH`;
  return humidityLow === null ? EN_RULE : `≥ ${humidityLow} %RH`;
}

type Band = ProductProfile['budget'][number];

/** The temperatures of one band of a stability budget: `8.0–25.0 °C`, `above 25.0 °C`. */
export function bandRange({ low, high }: Pick<Band, 'low' | 'high'>, text: Text): string {
  if (low !== null && high !== null) return zoneWords({ zoneMin: low, zoneMax: high });
  return low === null
    ? text('profiles.band.below', { limit: celsius(high ?? 0) })
    : text('profiles.band.above', { limit: celsius(low) });
}

/** One band of a stability budget: `8.0–25.0 °C: ≤ 12 h`. */
export const bandWords = (band: Band, text: Text): string =>
  text('profiles.band.words', { range: bandRange(band, text), hours: hoursFigure(band.hours) });

const hoursFigure = (hours: number): string => fixed(hours, Number.isInteger(hours) ? 0 : 2);
