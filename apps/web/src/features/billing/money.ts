/** Formats an amount in minor units, such as `¥275.00`. */
export function money(language: string, amountMinor: number, currency: string): string {
  return new Intl.NumberFormat(language, { style: 'currency', currency }).format(amountMinor / 100);
}

/** Price of one unit, with as many decimals as prices of cents need. */
export function unitPrice(language: string, amountMinor: number, units: number, currency: string): string {
  return new Intl.NumberFormat(language, {
    style: 'currency',
    currency,
    minimumFractionDigits: 2,
    maximumFractionDigits: 4,
  }).format(amountMinor / 100 / units);
}
