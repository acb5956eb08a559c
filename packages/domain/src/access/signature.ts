/**
 * Meanings of electronic signatures (21 CFR Part 11, § 11.50 (a)(3)). A signature stores the code; its text is
 * `signatures.meaning.<code>`.
 */
export const SIGNATURE_MEANINGS = ['alarm-acknowledged', 'alarm-fixed', 'alarm-ended'] as const;
export type SignatureMeaning = (typeof SIGNATURE_MEANINGS)[number];

/** Alarm level from which signatures are required; 0: never. */
export const SIGNATURE_LEVELS = [0, 1, 2, 3, 4, 5] as const;
export type SignatureLevel = (typeof SIGNATURE_LEVELS)[number];

/**
 * Decides whether an action on an alarm must be signed. `settings` are those of the policy and of the organisations above
 * the alarm. The strictest applies, so that nobody whom an organisation above obliges to sign can switch it off. Without
 * any, no signature is required.
 */
export function needsSignature(
  settings: readonly (SignatureLevel | null | undefined)[],
  peakLevel: number,
): boolean {
  return settings.some((setting) => typeof setting === 'number' && setting > 0 && peakLevel >= setting);
}
