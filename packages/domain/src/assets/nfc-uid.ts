/** Bytes that the UID of an NFC tag has (ISO/IEC 14443-3: single, double and triple size). */
const SIZES = [4, 7, 10];

/** A UID as it is kept, from what a phone says or a person types off a tag: `04:a2:2b:…`; null where it is none. */
export function nfcUid(typed: string): string | null {
  const digits = typed.replace(/[\s:.-]/g, '').toUpperCase();
  return /^[0-9A-F]*$/.test(digits) && SIZES.includes(digits.length / 2) ? digits : null;
}
