import { fromMinor } from '@isotherm/domain/billing/money';

/** Formats an amount in minor units, such as `¥275.00`. */
export function money(language: string, amountMinor: number, currency: string): string {
  return new Intl.NumberFormat(language, { style: 'currency', currency }).format(
    fromMinor(amountMinor, currency),
  );
}

/** Price of one unit, with as many decimals as prices of cents need. */
export function unitPrice(language: string, amountMinor: number, units: number, currency: string): string {
  return new Intl.NumberFormat(language, {
    style: 'currency',
    currency,
    minimumFractionDigits: 2,
    maximumFractionDigits: 4,
  }).format(fromMinor(amountMinor, currency) / units);
}
