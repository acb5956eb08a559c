/** Lengths of an NFC tag's UID in bytes (ISO/IEC 14443-3: single, double and triple size). */
const SIZES = [4, 7, 10];

/** Normalises a scanned or typed UID such as `04:a2:2b:…`; null if it is invalid. */
export function nfcUid(typed: string): string | null {
  const digits = typed.replace(/[\s:.-]/g, '').toUpperCase();
  return /^[0-9A-F]*$/.test(digits) && SIZES.includes(digits.length / 2) ? digits : null;
}
