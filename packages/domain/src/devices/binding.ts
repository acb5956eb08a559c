/**
 * A period in which the readings of a sensor belong to a channel (decision 23): `from` is inclusive, `until`
 * exclusive. Times are in epoch ms, infinite if the period has no end.
 */
export interface Binding {
  from: number;
  until: number;
}

/**
 * Returns the binding that contains the time, or null. Bindings are sorted newest first, so that live
 * readings match immediately.
 */
export function bindingAt<T extends Binding>(bindings: readonly T[], moment: number): T | null {
  for (const binding of bindings) if (moment >= binding.from) return moment < binding.until ? binding : null;
  return null;
}
