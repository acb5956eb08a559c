import { SCENARIOS, type Scenario } from '../fleet/disturbance.ts';
import { between, pick, type Random } from '../random.ts';
import type { Member } from './member.ts';

/**
 * Scenarios to choose from at random. Those that are more frequent in real fleets are listed several times.
 */
const LIKELY: readonly Scenario[] = [
  'door-left-open',
  'door-left-open',
  'door-left-open',
  'power-cut',
  'flight-mode',
  'flapping',
  // A button is pressed on purpose only, since it may start a transport.
  ...SCENARIOS.filter((name) => name !== 'button-pressed'),
];

const MEAN_PAUSE_MS = 10 * 60_000;

/**
 * Durations that are short enough for a visitor to see the end and the recovery. Other scenarios have their
 * default duration.
 */
const DURATION_MS: Partial<Record<Scenario, readonly [least: number, most: number]>> = {
  'door-left-open': [5 * 60_000, 8 * 60_000],
  'power-cut': [6 * 60_000, 10 * 60_000],
};

/** Starts a random scenario about every ten minutes, so that the demo stays interesting. */
export function createChance(members: readonly Member[], random: Random, firstMs: number) {
  let nextAt = firstMs;
  return {
    tick(nowMs: number): void {
      if (nowMs < nextAt) return;
      nextAt = nowMs + MEAN_PAUSE_MS * between(random, 0.6, 1.4);
      const quiet = members.filter((member) => member.disturbances().length === 0);
      if (quiet.length < members.length - 3) return;
      const name = pick(random, LIKELY);
      const fitting = quiet.filter((member) => suits(name, member));
      if (fitting.length === 0) return;
      const range = DURATION_MS[name];
      const durationMs = range && Math.round(between(random, ...range));
      pick(random, fitting).disturb(name, nowMs, 1, durationMs);
    },
  };
}

/**
 * Returns whether a scenario suits an asset. The open door of a cold store takes an hour to have an effect,
 * so short scenarios use cabinets and vehicles.
 */
function suits(name: Scenario, member: Member): boolean {
  const kind = member.asset.kind;
  if (name === 'door-left-open') return kind === 'refrigerator';
  if (name === 'power-cut') return kind === 'refrigerator' || kind === 'cold-store';
  if (name === 'flight-mode') return kind === 'vehicle' || kind === 'cold-box';
  return true;
}
