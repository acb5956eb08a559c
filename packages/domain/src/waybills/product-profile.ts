import type { PolicyDefinition } from '../alarms/graded-policy.ts';
import { TEMPLATES } from '../alarms/policy-templates.ts';

/** Time that a product may spend in one band of temperatures outside its range, over all excursions. */
export interface BudgetBand {
  /** Lower end in °C; null: unlimited, only for a band below the range. */
  low: number | null;
  /** Upper end in °C; null: unlimited, only for a band above the range. */
  high: number | null;
  hours: number;
}

/**
 * Limits of a product (issue 14). A value equal to a limit is inside (decision 6). A temperature outside the range
 * and outside every band has no budget: no exposure is allowed.
 */
export interface ProductLimits {
  temperatureLow: number;
  temperatureHigh: number;
  humidityLow: number | null;
  humidityHigh: number | null;
  budget: readonly BudgetBand[];
  /** Highest mean kinetic temperature, °C; null: not assessed. */
  mktLimit: number | null;
  activationKj: number;
}

/** The first broken rule of a profile. */
export type ProfileFault =
  | { field: 'temperatureHigh' | 'humidityHigh'; code: 'above-other' }
  | { field: 'budget'; code: 'budget-order' | 'budget-inside' | 'budget-overlap'; band: number };

type Range = Pick<ProductLimits, 'temperatureLow' | 'temperatureHigh'>;

/** True if the band lies above the range of the product; false if it lies below. */
export const isAboveRange = ({ low }: BudgetBand, { temperatureHigh }: Range): boolean =>
  low !== null && low >= temperatureHigh;

function bandFault(band: BudgetBand, range: Range): 'budget-order' | 'budget-inside' | null {
  const { low, high } = band;
  if (low === null && high === null) return 'budget-order';
  if (low !== null && high !== null && low >= high) return 'budget-order';
  if (isAboveRange(band, range)) return null;
  return high !== null && high <= range.temperatureLow ? null : 'budget-inside';
}

function overlaps(a: BudgetBand, b: BudgetBand): boolean {
  return (a.low ?? -Infinity) < (b.high ?? Infinity) && (b.low ?? -Infinity) < (a.high ?? Infinity);
}

/** Returns the first broken rule of a profile, or null. Maximum above minimum is requirements §5. */
export function profileFault(limits: ProductLimits): ProfileFault | null {
  const { temperatureLow, temperatureHigh, humidityLow, humidityHigh, budget } = limits;
  if (temperatureLow >= temperatureHigh) return { field: 'temperatureHigh', code: 'above-other' };
  if (humidityLow !== null && humidityHigh !== null && humidityLow >= humidityHigh)
    return { field: 'humidityHigh', code: 'above-other' };
  for (const [band, each] of budget.entries()) {
    const code = bandFault(each, limits);
    if (code) return { field: 'budget', code, band };
    if (budget.slice(0, band).some((earlier) => overlaps(earlier, each)))
      return { field: 'budget', code: 'budget-overlap', band };
  }
  return null;
}

/** Hysteresis of the prefilled policy: half a degree, less in a narrow range. */
const MARGIN_C = 0.5;
const MARGIN_RH = 2;
const marginOf = (most: number, low: number | null, high: number | null): number =>
  low !== null && high !== null && high - low <= 4 * most ? 0 : most;

/**
 * Returns the definition with which a policy for the product starts: its limits, and the levels of the template
 * for refrigerators. Users can change everything.
 */
export function policyForProduct(limits: ProductLimits): PolicyDefinition {
  const { temperatureLow: low, temperatureHigh: high, humidityLow, humidityHigh } = limits;
  const temperature = {
    quantity: 'temperature' as const,
    low,
    high,
    recoveryMargin: marginOf(MARGIN_C, low, high),
    recoverAfterMs: 0,
  };
  const humidity = {
    quantity: 'humidity' as const,
    low: humidityLow,
    high: humidityHigh,
    recoveryMargin: marginOf(MARGIN_RH, humidityLow, humidityHigh),
    recoverAfterMs: 0,
  };
  const hasHumidity = humidityLow !== null || humidityHigh !== null;
  return {
    conditions: hasHumidity ? [temperature, humidity] : [temperature],
    steps: TEMPLATES['vaccine-refrigerator'].steps,
    limitIsOutside: false,
  };
}
