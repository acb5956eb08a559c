/** Things that go wrong, by name: what `scenario <name>` and the control port take. */
export const SCENARIOS = [
  /** The door stands open. */
  'door-left-open',
  /** The mains fails; the logger goes on from its battery. */
  'power-cut',
  /** The first probe breaks: it reports an impossible value, as an open circuit does, then nothing. */
  'sensor-dead',
  /** Out of radio reach: the device records, stays silent, then sends all of it, newest first. */
  'flight-mode',
  /** The clock falls back to 1970; the device finds out and sends the same readings with the true time. */
  'clock-wrong',
  /** The first probe swings about the high limit, as beside a door seal that leaks. */
  'flapping',
  /** The device sends messages that cannot be understood, of several kinds. */
  'garbage',
] as const;
export type Scenario = (typeof SCENARIOS)[number];

/** How long each lasts when nobody says otherwise. */
export const USUAL_DURATION_MS: Record<Scenario, number> = {
  'door-left-open': 6 * 60_000,
  'power-cut': 8 * 60_000,
  'sensor-dead': 20 * 60_000,
  'flight-mode': 14 * 60_000,
  'clock-wrong': 3 * 60_000,
  flapping: 10 * 60_000,
  garbage: 60_000,
};

/** A scenario at work on one asset. `switched-off` exists in the history only: a gap that nothing fills. */
export interface Disturbance {
  name: Scenario | 'switched-off';
  from: number;
  until: number;
  /** Thermal time runs this many times faster from `from` to `fastUntil`; timestamps stay true. */
  speed: number;
  fastUntil: number;
}

/** After the cause is gone, the recovery is shown at the same speed for this long. */
export const FAST_RECOVERY_MS = 10 * 60_000;

export function disturbance(
  name: Scenario,
  from: number,
  speed: number,
  durationMs: number = USUAL_DURATION_MS[name],
): Disturbance {
  const until = from + durationMs;
  return { name, from, until, speed, fastUntil: until + FAST_RECOVERY_MS };
}

export const isActive = (disturbance: Disturbance, atMs: number) =>
  atMs >= disturbance.from && atMs < disturbance.until;

export function has(disturbances: readonly Disturbance[], name: Disturbance['name'], atMs: number): boolean {
  for (const disturbance of disturbances) {
    if (disturbance.name === name && isActive(disturbance, atMs)) return true;
  }
  return false;
}

export function speedAt(disturbances: readonly Disturbance[], atMs: number): number {
  let speed = 1;
  for (const disturbance of disturbances) {
    if (atMs >= disturbance.from && atMs < disturbance.fastUntil) speed = Math.max(speed, disturbance.speed);
  }
  return speed;
}
