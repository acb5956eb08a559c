/** Scenarios by name, for `scenario <name>` and the control port. */
export const SCENARIOS = [
  /** The door is open. */
  'door-left-open',
  /** The mains fails; the logger continues on its battery. */
  'power-cut',
  /** The first probe breaks: first an impossible value, as from an open circuit, then nothing. */
  'sensor-dead',
  /** Out of radio range: the device records, and later sends everything, newest first. */
  'flight-mode',
  /** The clock resets to 1970; later the device sends the same readings with their true times. */
  'clock-wrong',
  /** The first probe oscillates around the high limit, as beside a leaking door seal. */
  'flapping',
  /** The device sends several kinds of invalid messages. */
  'garbage',
] as const;
export type Scenario = (typeof SCENARIOS)[number];

/** Default duration of each scenario. */
export const USUAL_DURATION_MS: Record<Scenario, number> = {
  'door-left-open': 6 * 60_000,
  'power-cut': 8 * 60_000,
  'sensor-dead': 20 * 60_000,
  'flight-mode': 14 * 60_000,
  'clock-wrong': 3 * 60_000,
  flapping: 10 * 60_000,
  garbage: 60_000,
};

/**
 * A scenario in progress on an asset. `switched-off` exists in the history only: a gap that is never filled.
 */
export interface Disturbance {
  name: Scenario | 'switched-off';
  from: number;
  until: number;
  /** Thermal time runs this much faster from `from` to `fastUntil`; timestamps stay true. */
  speed: number;
  fastUntil: number;
}

/** How long the recovery runs at the same speed after the cause has ended. */
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
