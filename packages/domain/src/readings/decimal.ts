/** Up to this number, all decimals of a scale are different as 4-byte floats. */
const MAX_SCALED = 2 ** 23;
const SCALES = [1, 10, 100, 1_000, 10_000, 100_000] as const;
/** Nine significant digits identify every 4-byte float (IEEE 754). */
const FLOAT4_DIGITS = 9;

/**
 * Returns the decimal for a 4-byte float: the shortest one that converts back to the same float. The
 * database prints the same decimal, so that a reading has the same value however it was fetched.
 */
export function decimalOf(float4: number): number {
  for (const scale of SCALES) {
    const scaled = Math.round(float4 * scale);
    if (Math.abs(scaled) >= MAX_SCALED) break;
    if (Math.fround(scaled / scale) === float4) return scaled / scale;
  }
  for (let digits = 6; digits < FLOAT4_DIGITS; digits++) {
    const decimal = Number(float4.toPrecision(digits));
    if (Math.fround(decimal) === float4) return decimal;
  }
  return Number(float4.toPrecision(FLOAT4_DIGITS));
}

/** Returns the smallest power of ten with which all values become exact integers; 0 if there is none. */
export function exactScale(values: Float64Array): number {
  let exponent = 0;
  for (const value of values) {
    while (!standsAt(value, SCALES[exponent] as number)) if (++exponent === SCALES.length) return 0;
  }
  // The scale is checked again at the end, because a later value may need more decimals than an earlier one
  // allows.
  const scale = SCALES[exponent] as number;
  return values.every((value) => standsAt(value, scale)) ? scale : 0;
}

function standsAt(value: number, scale: number): boolean {
  const scaled = Math.round(value * scale);
  return Math.abs(scaled) < MAX_SCALED && scaled / scale === value;
}
