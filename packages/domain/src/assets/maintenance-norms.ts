/** Values that a refrigeration technician measures, with their norms (requirements §9). */
export const MAINTENANCE_NORMS = {
  returnPressure: { unit: 'MPa', min: 0.15, max: 0.4, precision: 2 },
  dischargePressure: { unit: 'MPa', min: 0.8, max: 1.8, precision: 2 },
  defrostInterval: { unit: 'h', min: 6, max: 12, precision: 1 },
  defrostTime: { unit: 'min', min: 3, max: 10, precision: 1 },
  shutdownDifference: { unit: '°C', min: 1, max: 4, precision: 1 },
} as const satisfies Record<string, MaintenanceNorm>;

export interface MaintenanceNorm {
  unit: string;
  /** Lower limit of the norm; inclusive, like `max`. */
  min: number;
  max: number;
  precision: number;
}

export type MaintenanceMeasure = keyof typeof MAINTENANCE_NORMS;
export const MAINTENANCE_MEASURES = Object.keys(MAINTENANCE_NORMS) as [
  MaintenanceMeasure,
  ...MaintenanceMeasure[],
];

/** Purposes of a technician's visit. */
export const MAINTENANCE_KINDS = ['inspection', 'service', 'repair'] as const;
export type MaintenanceKind = (typeof MAINTENANCE_KINDS)[number];

export type MaintenanceValues = Partial<Record<MaintenanceMeasure, number>>;

/** Returns whether a measured value is below, within or above its norm. */
export function judgeMeasure(measure: MaintenanceMeasure, value: number): 'low' | 'inside' | 'high' {
  const { min, max } = MAINTENANCE_NORMS[measure];
  if (value < min) return 'low';
  return value > max ? 'high' : 'inside';
}

/** Returns the measures whose values are outside their norms. */
export function outsideNorms(values: MaintenanceValues): MaintenanceMeasure[] {
  return MAINTENANCE_MEASURES.filter((measure) => {
    const value = values[measure];
    return value !== undefined && judgeMeasure(measure, value) !== 'inside';
  });
}
