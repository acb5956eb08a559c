/** Currencies without decimals, and those with three (ISO 4217); all others have two. */
const DIGITS: ReadonlyMap<string, number> = new Map([
  ...[
    'BIF',
    'CLP',
    'DJF',
    'GNF',
    'ISK',
    'JPY',
    'KMF',
    'KRW',
    'PYG',
    'RWF',
    'UGX',
    'VND',
    'VUV',
    'XAF',
    'XOF',
    'XPF',
  ].map((code): [string, number] => [code, 0]),
  ...['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND'].map((code): [string, number] => [code, 3]),
]);

/** Number of decimals of a currency. */
export function currencyDigits(currency: string): number {
  return DIGITS.get(currency) ?? 2;
}

/** Converts a decimal amount to minor units; null if it has more decimals than the currency. */
export function toMinor(amount: number, currency: string): number | null {
  const scale = 10 ** currencyDigits(currency);
  const minor = Math.round(amount * scale);
  // Decimal fractions are not exact in binary: 0.29 × 100 is 28.999999999999996.
  return Math.abs(minor / scale - amount) < 1e-9 ? minor : null;
}

/** Converts minor units to a decimal amount. */
export function fromMinor(amountMinor: number, currency: string): number {
  return amountMinor / 10 ** currencyDigits(currency);
}

/** A decimal amount as providers write it: `275.00`, `1200` for currencies without decimals. */
export function decimalText(amountMinor: number, currency: string): string {
  return fromMinor(amountMinor, currency).toFixed(currencyDigits(currency));
}

/** Reads `275.00` as minor units; null if it is no amount of the currency. */
export function parseMinor(text: string, currency: string): number | null {
  return /^\d{1,12}(\.\d+)?$/.test(text) ? toMinor(Number(text), currency) : null;
}
