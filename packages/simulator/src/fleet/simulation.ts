import { type ChamberState, restingChamber, stepChamber } from '../physics/chamber.ts';
import { type IceBoxState, packedIceBox, stepIceBox } from '../physics/ice-box.ts';
import { ambientC, LOCAL_OFFSET_MS, localHour } from '../physics/weather.ts';
import { bell, between, type Random, uniform } from '../random.ts';
import type { FleetAsset, Traffic } from './asset.ts';
import { type Disturbance, has } from './disturbance.ts';
import { type VehicleMoment, vehicleAt } from './timetable.ts';

/** State of an asset between two steps. It is plain data that can be written to a file. */
export interface AssetState {
  /** Time in epoch ms up to which the asset is simulated. */
  at: number;
  chamber: ChamberState | null;
  iceBox: IceBoxState | null;
  probesC: number[];
  humidity: number;
  /** Time when the door closes; 0 if it is closed. */
  doorUntil: number;
  battery: number;
  mains: boolean;
  doorOpen: boolean;
  vehicle: VehicleMoment | null;
}

/** Longest duration of one step of the physical model. */
export const LONGEST_STEP_S = 20;

export function startingState(asset: FleetAsset, atMs: number): AssetState {
  const spec = asset.body.spec;
  const chamber = 'setpointC' in spec ? restingChamber(spec) : null;
  const iceBox = chamber ? null : packedIceBox();
  const airC = chamber?.airC ?? iceBox?.airC ?? 5;
  return {
    at: atMs,
    chamber,
    iceBox,
    probesC: asset.probes.map((probe) => airC + probe.offsetK),
    humidity: 60,
    doorUntil: 0,
    battery: asset.batteryAtStart,
    mains: true,
    doorOpen: false,
    vehicle: asset.body.type === 'vehicle' ? vehicleNow(asset.body, atMs) : null,
  };
}

const vehicleNow = (body: Extract<FleetAsset['body'], { type: 'vehicle' }>, atMs: number) =>
  vehicleAt(body.timetable, body.startHour, atMs + LOCAL_OFFSET_MS);

/**
 * Advances the clock by `dtMs`; the thermal simulation runs `thermalSpeed` times as fast. The function is
 * pure except for `random`, whose numbers depend only on the sequence of calls.
 */
export function stepAsset(
  asset: FleetAsset,
  before: AssetState,
  dtMs: number,
  thermalSpeed: number,
  disturbances: readonly Disturbance[],
  random: Random,
): AssetState {
  const at = before.at + dtMs;
  const dtS = dtMs / 1000;
  const forcedOpen = disturbances.length > 0 && has(disturbances, 'door-left-open', at);
  const powerCut = disturbances.length > 0 && has(disturbances, 'power-cut', at);
  const body = asset.body;

  let { doorUntil, chamber, iceBox, vehicle } = before;
  let opening: number;
  let mains = !powerCut;
  if (body.type === 'vehicle') {
    vehicle = vehicleNow(body, at);
    mains = vehicle.unitPowered && !powerCut;
    opening = forcedOpen || vehicle.doorOpen ? 1 : 0;
  } else {
    doorUntil = nextDoor(body.traffic, before, at, dtS, random);
    // A person in the doorway blocks half of the air exchange; a door that was left open is wide open.
    opening = forcedOpen ? 1 : at < doorUntil ? 0.5 : 0;
  }
  const outsideC = ambientC(body.type === 'vehicle' ? 'outdoors' : body.where, at);

  let left = dtS * thermalSpeed;
  while (left > 0) {
    const step = Math.min(LONGEST_STEP_S, left);
    left -= step;
    if (chamber && body.type !== 'ice-box') {
      chamber = stepChamber(body.spec, chamber, { ambientC: outsideC, doorOpening: opening, mains }, step);
    } else if (iceBox && body.type === 'ice-box') {
      const hour = localHour(at);
      const refill = hour >= body.refillHour && localHour(before.at) < body.refillHour;
      iceBox = stepIceBox(body.spec, iceBox, { ambientC: outsideC, lidOpening: opening, refill }, step);
    }
  }

  const airC = chamber?.airC ?? iceBox?.airC ?? outsideC;
  const productC = chamber?.productC ?? iceBox?.payloadC ?? airC;
  const probesC = asset.probes.map((probe, i) => {
    const feels = airC + (productC - airC) * probe.inProduct + probe.offsetK + probe.draughtK * opening;
    const was = before.probesC[i] ?? feels;
    const thermalS = dtS * thermalSpeed;
    return was + (feels - was) * (thermalS / (probe.lagS + thermalS));
  });
  // Humid air enters through the open door; a cold coil removes the moisture.
  const wantedHumidity = opening > 0 ? 82 : chamber?.compressorOn ? 52 : 64;
  const humidity = before.humidity + (wantedHumidity - before.humidity) * Math.min(1, dtS / 900);
  return {
    at,
    chamber,
    iceBox,
    probesC,
    humidity,
    doorUntil,
    battery: nextBattery(asset, before.battery, powerCut, dtS),
    mains,
    doorOpen: opening > 0,
    vehicle,
  };
}

function nextDoor(traffic: Traffic, before: AssetState, at: number, dtS: number, random: Random): number {
  if (at < before.doorUntil) return before.doorUntil;
  const hour = localHour(at);
  const day = Math.floor((at + LOCAL_OFFSET_MS) / 86_400_000) % 7;
  // 1 January 1970 was a Thursday, so days 2 and 3 are the weekend.
  const busy = (hour >= 8 && hour < 12) || (hour >= 13.5 && hour < 17.5);
  const share = busy ? (day === 2 || day === 3 ? 0.4 : 1) : hour >= 6 && hour < 22 ? 0.35 : 0.08;
  if (uniform(random) >= (traffic.perHour * share * dtS) / 3600) return 0;
  return at + 1000 * traffic.openS * between(random, 0.4, 1.7);
}

function nextBattery(asset: FleetAsset, battery: number, powerCut: boolean, dtS: number): number {
  if (asset.batteryPerDay > 0) {
    const left = battery - (asset.batteryPerDay * dtS) / 86_400;
    // The battery is charged only when it is nearly empty.
    return left < 6 ? 100 : left;
  }
  // During a power cut, mains-powered loggers use a small battery, which is charged afterwards.
  return powerCut ? Math.max(20, battery - (8 * dtS) / 3600) : Math.min(100, battery + (20 * dtS) / 3600);
}

/** Returns the values of the sensors in the order of `channelsOf`, with noise and limited resolution. */
export function measure(asset: FleetAsset, state: AssetState, random: Random): number[] {
  const values = state.probesC.map((c) => Math.round((c + 0.045 * bell(random)) * 10) / 10);
  for (const indicator of asset.extras) values.push(measureExtra(indicator, state, random));
  return values;
}

function measureExtra(indicator: FleetAsset['extras'][number], state: AssetState, random: Random): number {
  switch (indicator) {
    case 'humidity':
      return Math.round(Math.min(99, Math.max(5, state.humidity + 0.6 * bell(random))) * 10) / 10;
    case 'door':
      return Number(state.doorOpen);
    case 'power':
      return Number(state.mains);
    case 'defrost':
      return Number((state.chamber?.defrostS ?? 0) > 0);
    case 'battery':
      return Math.round(state.battery);
    case 'voltage':
      return Math.round(((state.vehicle?.engineOn ? 27.7 : 25.3) + 0.08 * bell(random)) * 10) / 10;
    // It is pressed by the scenario only.
    case 'button':
      return 0;
    case 'signal':
      return Math.round(-78 + 6 * bell(random));
    default:
      throw new Error(`no model of ${indicator}`);
  }
}
