import type { Random } from '../random.ts';
import { channelsOf, type FleetAsset } from './asset.ts';
import { type Disturbance, has } from './disturbance.ts';
import { type AssetState, LONGEST_STEP_S, measure, stepAsset } from './simulation.ts';

/** Interval of recorded readings in the last day; before that, it is five minutes. */
export const FINE_EVERY_MS = 60_000;
export const COARSE_EVERY_MS = 300_000;
const SLOW_EVERY_MS = 600_000;
const STEP_MS = LONGEST_STEP_S * 1000;

/** Indicators whose values change within days. They are recorded less often in the older history. */
const SLOW = new Set(['battery', 'signal', 'voltage']);
const SWITCHES = new Set(['door', 'power', 'defrost', 'button']);

/** A part of the history as one ingest message. */
export interface RecordedChunk {
  /** The `IngestMessage` as JSON. */
  body: string;
  readings: number;
  /** Time up to which all readings are in this or an earlier chunk. */
  through: number;
}

/** State of the simulation and of the random generator of an asset. */
export interface AssetRun {
  state: AssetState;
  random: Random;
}

/**
 * Simulates from `run.state.at` to `untilMs` and yields the recorded readings, oldest first, in chunks of
 * about `chunkReadings`. The times are on a fixed grid, so that a repetition gives the same readings.
 */
export function* record(
  asset: FleetAsset,
  run: AssetRun,
  untilMs: number,
  fineFromMs: number,
  disturbances: readonly Disturbance[],
  chunkReadings: number,
): Generator<RecordedChunk> {
  const channels = channelsOf(asset);
  const prefix = channels.map((channel) => `{"channel":"${channel.key}","at":`);
  const slow = channels.map((channel) => SLOW.has(channel.indicator));
  const switches = channels.map((channel) => SWITCHES.has(channel.indicator));
  const lastSwitch = new Array<number>(channels.length).fill(-1);
  let text = '';
  let positions = '';
  let count = 0;
  const chunk = (): RecordedChunk => {
    const body = `{"readings":[${text}]${positions === '' ? '' : `,"positions":[${positions}]`}}`;
    const done = { body, readings: count, through: run.state.at };
    text = '';
    positions = '';
    count = 0;
    return done;
  };

  for (;;) {
    const next = Math.min(untilMs, Math.floor(run.state.at / STEP_MS) * STEP_MS + STEP_MS);
    if (next <= run.state.at) break;
    run.state = stepAsset(asset, run.state, next - run.state.at, 1, disturbances, run.random);
    const at = run.state.at;
    if (at % STEP_MS !== 0) continue;
    if (disturbances.length > 0 && has(disturbances, 'switched-off', at)) continue;
    const every = at >= fineFromMs ? FINE_EVERY_MS : COARSE_EVERY_MS;
    const sample = at % every === 0;
    if (!sample && !switchMoved(run.state, channels, lastSwitch)) continue;
    const deadProbe = disturbances.length > 0 && has(disturbances, 'sensor-dead', at);
    const values = measure(asset, run.state, run.random);
    for (let i = 0; i < values.length; i++) {
      const value = values[i]!;
      if (switches[i]) {
        if (!sample && lastSwitch[i] === value) continue;
        lastSwitch[i] = value;
      } else if (!sample || (slow[i] && every === COARSE_EVERY_MS && at % SLOW_EVERY_MS !== 0)) {
        continue;
      } else if (i === 0 && deadProbe) {
        continue;
      }
      text += `${count === 0 ? '' : ','}${prefix[i]}${at},"value":${value}}`;
      count++;
    }
    const vehicle = run.state.vehicle;
    if (vehicle && sample && (vehicle.speedKmh > 0 || at % SLOW_EVERY_MS === 0)) {
      positions += `${positions === '' ? '' : ','}{"at":${at},"latitude":${vehicle.latitude.toFixed(5)},"longitude":${vehicle.longitude.toFixed(5)},"speedKmh":${vehicle.speedKmh.toFixed(1)}}`;
    }
    if (count >= chunkReadings) yield chunk();
  }
  if (count > 0) yield chunk();
}

/** Returns whether door, mains or defrost differ from the last recorded state. */
function switchMoved(
  state: AssetState,
  channels: readonly { indicator: string }[],
  lastSwitch: readonly number[],
): boolean {
  for (let i = 0; i < channels.length; i++) {
    const was = lastSwitch[i];
    if (was === -1) continue;
    switch (channels[i]!.indicator) {
      case 'door':
        if (was !== Number(state.doorOpen)) return true;
        break;
      case 'power':
        if (was !== Number(state.mains)) return true;
        break;
      case 'defrost':
        if (was !== Number((state.chamber?.defrostS ?? 0) > 0)) return true;
        break;
    }
  }
  return false;
}
