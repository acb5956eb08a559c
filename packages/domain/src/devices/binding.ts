/**
 * A period in which a sensor feeds a channel (decision 23): `from` inclusive, `until` exclusive. Epoch ms,
 * infinite if open.
 */
export interface Binding {
  from: number;
  until: number;
}

/**
 * The binding that contains the moment, or null. Bindings are sorted newest first, so that live readings
 * match immediately.
 */
export function bindingAt<T extends Binding>(bindings: readonly T[], moment: number): T | null {
  for (const binding of bindings) if (moment >= binding.from) return moment < binding.until ? binding : null;
  return null;
}
