/** Scenarios by name, for the command `scenario <name>` and the control port. */
export const SCENARIOS = [
  /** The door is left open. */
  'door-left-open',
  /** The mains power fails; the logger continues on its battery. */
  'power-cut',
  /** The first probe breaks. It first sends an impossible value, as from an open circuit, then nothing. */
  'sensor-dead',
  /** The device is out of radio range. It records readings, and later sends them all, newest first. */
  'flight-mode',
  /** The clock is reset to 1970. Later the device sends the same readings with their true times. */
  'clock-wrong',
  /** The first probe oscillates around the high limit, as it would near a leaking door seal. */
  'flapping',
  /** The device sends several kinds of invalid messages. */
  'garbage',
  /** Somebody presses the button of the device once. */
  'button-pressed',
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
  'button-pressed': 1_000,
};

/**
 * A scenario in progress on an asset. `switched-off` exists only in the history, as a gap that is never
 * filled.
 */
export interface Disturbance {
  name: Scenario | 'switched-off';
  from: number;
  until: number;
  /** Factor by which the thermal simulation runs faster from `from` to `fastUntil`; timestamps stay true. */
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
