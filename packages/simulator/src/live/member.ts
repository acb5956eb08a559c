import type { ReadingItem } from '@isotherm/contracts/ingest';
import { channelsOf, type FleetAsset } from '../fleet/asset.ts';
import {
  type Disturbance,
  disturbance,
  FAST_RECOVERY_MS,
  has,
  isActive,
  type Scenario,
  speedAt,
} from '../fleet/disturbance.ts';
import type { AssetRun } from '../fleet/recording.ts';
import { LONGEST_STEP_S, measure, stepAsset } from '../fleet/simulation.ts';
import { bell } from '../random.ts';
import type { Device, Position } from './device.ts';
import { garbageMessage } from './garbage.ts';

/** Sending interval while connected; changes of a switch are sent at once. */
const SEND_EVERY_MS = 15_000;
const SLOW_EVERY_MS = 60_000;
const MOVED_K = 0.3;
const AT_ONCE_GAP_MS = 2_000;
const GARBAGE_EVERY_MS = 3_000;
/** Value of an open circuit: the end of the converter's range. */
const OPEN_CIRCUIT_C = 850;
const OPEN_CIRCUIT_READINGS = 3;

const SLOW = new Set(['battery', 'signal', 'voltage', 'humidity']);

/** A simulated asset of the running fleet. */
export interface Member {
  asset: FleetAsset;
  run: AssetRun;
  device: Device;
  /** Advances the simulation to `nowMs`, measures if a reading is due, and passes readings to the device. */
  tick(nowMs: number): void;
  /** Sets the acquisition interval. */
  setAcquisitionInterval(everyMs: number): void;
  acquisitionEveryMs(): number;
  /**
   * Switches the device off until the given time. The simulation of the asset continues, but nothing is
   * measured.
   */
  switchOff(untilMs: number): void;
  /** Starts a scenario. Returns false if the asset does not support it. */
  disturb(name: Scenario, nowMs: number, speed: number, durationMs?: number): boolean;
  /** Ends every scenario now; the recovery still runs. */
  clear(nowMs: number): void;
  disturbances(): readonly Disturbance[];
  values(): Readonly<Record<string, number>>;
}

/** Creates a simulated asset. `begun` are scenarios in progress at the start of the live simulation. */
export function createMember(
  asset: FleetAsset,
  run: AssetRun,
  device: Device,
  timeScale: number,
  begun: readonly Disturbance[],
): Member {
  const channels = channelsOf(asset);
  // Distributes the devices over the sending interval, so that the monitor page changes continuously.
  const phase = Number(asset.deviceNumber) * 2_654_435_761;
  let disturbances = begun;
  let latest: Record<string, number> = {};
  let sentTemperatures: number[] = [];
  let sentSwitches = '';
  let lastSentAt = 0;
  let openCircuitLeft = 0;
  let wrongClock: ReadingItem[] = [];
  let lastGarbageAt = 0;
  let garbageKind = 0;
  let sendEveryMs = SEND_EVERY_MS;
  let offUntil = 0;

  const switches = () =>
    `${Number(run.state.doorOpen)}${Number(run.state.mains)}${Number((run.state.chamber?.defrostS ?? 0) > 0)}`;

  function moved(): boolean {
    if (switches() !== sentSwitches) return true;
    // With a longer acquisition interval, the device does not measure between two acquisitions.
    if (sendEveryMs > SEND_EVERY_MS) return false;
    return run.state.probesC.some((c, i) => Math.abs(c - (sentTemperatures[i] ?? c)) > MOVED_K);
  }

  const slot = (atMs: number, everyMs: number) => Math.floor((atMs + (phase % everyMs)) / everyMs);

  function advance(nowMs: number): void {
    while (run.state.at < nowMs) {
      const dt = Math.min(LONGEST_STEP_S * 1000, nowMs - run.state.at);
      const speed = timeScale * speedAt(disturbances, run.state.at);
      run.state = stepAsset(asset, run.state, dt, speed, disturbances, run.random);
    }
  }

  function read(nowMs: number, withSlow: boolean): ReadingItem[] {
    const values = measure(asset, run.state, run.random);
    if (has(disturbances, 'flapping', nowMs)) {
      const swing = 0.7 * Math.sin((2 * Math.PI * nowMs) / 90_000);
      values[0] = Math.round((asset.limits.highC + swing + 0.05 * bell(run.random)) * 10) / 10;
    }
    const items: ReadingItem[] = [];
    channels.forEach((channel, i) => {
      let value = values[i]!;
      if (i === 0 && has(disturbances, 'sensor-dead', nowMs)) {
        if (openCircuitLeft <= 0) return;
        openCircuitLeft--;
        value = OPEN_CIRCUIT_C;
      } else {
        latest = { ...latest, [channel.key]: value };
      }
      if (SLOW.has(channel.indicator) && !withSlow) return;
      items.push({ channel: channel.key, at: nowMs, value });
    });
    return items;
  }

  function position(nowMs: number): Position | null {
    const vehicle = run.state.vehicle;
    if (!vehicle) return null;
    return {
      at: nowMs,
      latitude: Number(vehicle.latitude.toFixed(5)),
      longitude: Number(vehicle.longitude.toFixed(5)),
      speedKmh: Number(vehicle.speedKmh.toFixed(1)),
    };
  }

  return {
    asset,
    run,
    device,
    tick(nowMs) {
      const before = run.state.at;
      advance(nowMs);
      device.setFlightMode(has(disturbances, 'flight-mode', nowMs));
      if (nowMs < offUntil) return;
      const due = slot(nowMs, sendEveryMs) !== slot(before, sendEveryMs);
      if (due || (moved() && nowMs - lastSentAt >= AT_ONCE_GAP_MS)) {
        const items = read(
          nowMs,
          lastSentAt === 0 || slot(nowMs, SLOW_EVERY_MS) !== slot(before, SLOW_EVERY_MS),
        );
        sentTemperatures = [...run.state.probesC];
        sentSwitches = switches();
        lastSentAt = nowMs;
        if (has(disturbances, 'clock-wrong', nowMs)) {
          // The readings are sent now with the wrong time, and kept to be sent again with the right one.
          wrongClock.push(...items);
          const bootedAt = disturbances.find((d) => d.name === 'clock-wrong')?.from ?? nowMs;
          device.add(
            items.map((item) => ({ ...item, at: nowMs - bootedAt })),
            null,
          );
        } else {
          device.add([...wrongClock, ...items], position(nowMs));
          wrongClock = [];
        }
      }
      if (has(disturbances, 'garbage', nowMs) && nowMs - lastGarbageAt >= GARBAGE_EVERY_MS) {
        lastGarbageAt = nowMs;
        const value = Math.round((run.state.probesC[0] ?? 5) * 10) / 10;
        device.sendBlind(garbageMessage(garbageKind++, nowMs, value, run.random));
      }
      if (disturbances.length > 0) disturbances = disturbances.filter((d) => nowMs < d.fastUntil);
    },
    setAcquisitionInterval(everyMs) {
      sendEveryMs = everyMs;
    },
    acquisitionEveryMs: () => sendEveryMs,
    switchOff(untilMs) {
      offUntil = untilMs;
    },
    disturb(name, nowMs, speed, durationMs) {
      if (name === 'power-cut' && asset.body.type === 'ice-box') return false;
      if (name === 'button-pressed') {
        const button = channels.find(({ indicator }) => indicator === 'button');
        if (!button) return false;
        device.add(
          [1, 0].map((value, row) => ({ channel: button.key, at: nowMs + row, value })),
          position(nowMs),
        );
        return true;
      }
      const others = disturbances.filter((d) => d.name !== name);
      disturbances = [...others, disturbance(name, nowMs, speed, durationMs)];
      if (name === 'sensor-dead') openCircuitLeft = OPEN_CIRCUIT_READINGS;
      return true;
    },
    clear(nowMs) {
      disturbances = disturbances.map((d) =>
        isActive(d, nowMs) ? { ...d, until: nowMs, fastUntil: nowMs + FAST_RECOVERY_MS } : d,
      );
    },
    disturbances: () => disturbances,
    values: () => latest,
  };
}
