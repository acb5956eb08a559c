/**
 * A random generator whose state is one number. So a fleet can be stopped, written to a file and continued
 * without a difference (house rule 1).
 */
export interface Random {
  /** Unsigned 32-bit state, which changes with every generated number. */
  state: number;
}

/** Returns a seed by FNV-1a, so that the same text gives the same seed on every machine. */
export function seedFrom(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    hash ^= text.charCodeAt(i);
    hash = Math.imul(hash, 0x01000193);
  }
  return hash >>> 0;
}

/** Returns a uniform random number in [0, 1), by Mulberry32. */
export function uniform(random: Random): number {
  random.state = (random.state + 0x6d2b79f5) >>> 0;
  let t = random.state;
  t = Math.imul(t ^ (t >>> 15), t | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}

/** Returns an approximately standard normal random number for sensor noise: variance 1, within ±3.47. */
export function bell(random: Random): number {
  return (uniform(random) + uniform(random) + uniform(random) + uniform(random) - 2) * 1.7320508;
}

export function between(random: Random, low: number, high: number): number {
  return low + (high - low) * uniform(random);
}

export function pick<T>(random: Random, items: readonly T[]): T {
  const item = items[Math.floor(uniform(random) * items.length)];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
}
