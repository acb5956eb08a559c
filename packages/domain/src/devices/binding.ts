/** A time in which a sensor feeds a channel (decision 23): `from` included, `until` not. Epoch ms, infinite where open. */
export interface Binding {
  from: number;
  until: number;
}

/** The binding that contains the moment; null when there is none. The newest comes first: live readings find it at once. */
export function bindingAt<T extends Binding>(bindings: readonly T[], moment: number): T | null {
  for (const binding of bindings) if (moment >= binding.from) return moment < binding.until ? binding : null;
  return null;
}
