/**
 * The catalogue of indicators, the quantities that a channel can measure (requirements §1; decision 5).
 *
 * `unit` is the canonical unit for storage and transport. `precision` is the number of displayed decimals.
 * `physicalMin` and `physicalMax` limit what a sensor of this kind can measure: a value outside is refused
 * and never stored as a reading. `kind` is a measured quantity (drawn as a line) or an on/off state (drawn
 * as a row below the chart).
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
  /** The button of a device: 1 when it was pressed. */
  button: { unit: '', precision: 0, physicalMin: 0, physicalMax: 1, kind: 'switch' },
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

/** Returns true if a sensor of this kind can measure `value` (canonical unit). False for NaN. */
export function isPhysical(indicator: Indicator, value: number): boolean {
  const spec = INDICATORS[indicator];
  return value >= spec.physicalMin && value <= spec.physicalMax;
}
