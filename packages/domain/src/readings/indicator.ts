/**
 * What a channel can measure: the one catalogue of indicators (requirements §1; decision 5).
 *
 * `unit` is the canonical unit that is stored and sent; `precision` is the number of decimals shown;
 * `physicalMin`/`physicalMax` bound what any sensor of this kind can truthfully report, so that a value
 * outside is refused as a fault of the sender and never stored as a reading. `kind` tells how a person
 * looks at it: a measured quantity (curve) or an on/off fact (lane).
 */
export const INDICATORS = {
  temperature: { unit: '°C', precision: 1, physicalMin: -200, physicalMax: 200, kind: 'quantity' },
  humidity: { unit: '%RH', precision: 1, physicalMin: 0, physicalMax: 100, kind: 'quantity' },
  battery: { unit: '%', precision: 0, physicalMin: 0, physicalMax: 100, kind: 'quantity' },
  signal: { unit: 'dBm', precision: 0, physicalMin: -150, physicalMax: 0, kind: 'quantity' },
  voltage: { unit: 'V', precision: 1, physicalMin: 0, physicalMax: 1000, kind: 'quantity' },
  power: { unit: '', precision: 0, physicalMin: 0, physicalMax: 1, kind: 'switch' },
  door: { unit: '', precision: 0, physicalMin: 0, physicalMax: 1, kind: 'switch' },
  defrost: { unit: '', precision: 0, physicalMin: 0, physicalMax: 1, kind: 'switch' },
  illuminance: { unit: 'lx', precision: 0, physicalMin: 0, physicalMax: 200_000, kind: 'quantity' },
  oxygen: { unit: '%', precision: 1, physicalMin: 0, physicalMax: 100, kind: 'quantity' },
  'carbon-dioxide': { unit: 'ppm', precision: 0, physicalMin: 0, physicalMax: 1_000_000, kind: 'quantity' },
  slope: { unit: '°', precision: 1, physicalMin: -180, physicalMax: 180, kind: 'quantity' },
  acceleration: { unit: 'g', precision: 2, physicalMin: -200, physicalMax: 200, kind: 'quantity' },
  amplitude: { unit: 'mm', precision: 2, physicalMin: 0, physicalMax: 10_000, kind: 'quantity' },
} as const satisfies Record<string, IndicatorSpec>;

export interface IndicatorSpec {
  unit: string;
  precision: number;
  physicalMin: number;
  physicalMax: number;
  kind: 'quantity' | 'switch';
}

export type Indicator = keyof typeof INDICATORS;

export const INDICATOR_NAMES = Object.keys(INDICATORS) as [Indicator, ...Indicator[]];

/** True when a sensor of this kind could truthfully report `value` (canonical unit). NaN is never physical. */
export function isPhysical(indicator: Indicator, value: number): boolean {
  const spec = INDICATORS[indicator];
  return value >= spec.physicalMin && value <= spec.physicalMax;
}
