const EUI_64 = /^[0-9a-f]{16}$/;
const MAC_48 = /^[0-9a-f]{12}$/;

/**
 * The EUI-64 of a device in 16 lower-case hexadecimal digits: as given (a LoRaWAN DevEUI), or made of a MAC-48 address
 * with FFFE in the middle (IEEE, Guidelines for Use of EUI). Null if the text is neither.
 */
export function euiOf(text: string): string | null {
  const digits = text.toLowerCase();
  if (EUI_64.test(digits)) return digits;
  return MAC_48.test(digits) ? `${digits.slice(0, 6)}fffe${digits.slice(6)}` : null;
}
