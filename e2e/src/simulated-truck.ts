import { provisionDevices } from '@isotherm/contracts/devices';
import { INGEST_PATH } from '@isotherm/contracts/ingest';
import type { ApiClient } from '@isotherm/simulator/client/api-client';
import { channelsOf, type FleetAsset } from '@isotherm/simulator/fleet/asset';
import { type Disturbance, disturbance, speedAt } from '@isotherm/simulator/fleet/disturbance';
import { deviceKey, provisionItemOf } from '@isotherm/simulator/fleet/provision';
import { smoothRoad } from '@isotherm/simulator/fleet/road';
import { measure, startingState, stepAsset } from '@isotherm/simulator/fleet/simulation';
import { buildTimetable } from '@isotherm/simulator/fleet/timetable';
import { FROZEN_TRUCK_BODY } from '@isotherm/simulator/physics/cabinets';
import { localHour } from '@isotherm/simulator/physics/weather';
import type { DemoServer } from '@isotherm/testkit/demo-server';
import { queryDatabase } from './stored.ts';

const EVERY_MS = 500;
const SECRET = 'journey-'.repeat(8);
/** Trigger delay of the rules of the truck, and how often as fast its body warms up and cools down. */
const TRIGGER_MS = 1_000;
const THERMAL_SPEED = 60;
/** Time in which a vehicle is loaded before it drives off, in the timetable of the simulator. */
const LOADING_H = 40 / 60;
/** The doors are wide open: warmer than −15 °C inside, also on a day in winter. */
const BODY = { ...FROZEN_TRUCK_BODY, openDoorWPerK: 600 };
const ROAD = smoothRoad([
  { latitude: 31.2, longitude: 121.4, cruiseKmh: 70 },
  { latitude: 31.23, longitude: 121.41, cruiseKmh: 80 },
  { latitude: 31.26, longitude: 121.4, cruiseKmh: 80 },
  { latitude: 31.3, longitude: 121.42, cruiseKmh: 60, stop: { minutes: 10, unloads: true } },
]);

/** Where simulated trucks stand before they drive off. */
export const DEPOT = { latitude: 31.2, longitude: 121.4 };
/** The range that its rules monitor, °C. */
export const FROZEN = { lowC: -25, highC: -15, level: 3 } as const;

/** A frozen truck with the physics and the timetable of the simulator, whose device reports twice a second. */
export interface SimulatedTruck {
  id: number;
  name: string;
  organizationId: number;
  /** Drives off now. */
  driveOff(): void;
  openDoor(): void;
  closeDoor(): void;
  stop(): Promise<void>;
}

/** Registers a truck; it stands at the depot with its doors closed, and reports at once. */
export async function startSimulatedTruck(
  demo: DemoServer,
  client: ApiClient,
  deviceNumber: string,
  name: string,
): Promise<SimulatedTruck> {
  const timetable = buildTimetable(ROAD, 6);
  // Loading has begun an hour ago in its past round; a round takes six hours.
  const body = { type: 'vehicle' as const, spec: BODY, timetable, startHour: localHour(Date.now()) - 5 };
  const asset: FleetAsset = {
    code: `J-${deviceNumber}`,
    name,
    kind: 'vehicle',
    type: 'freezer-car',
    plate: `J-${deviceNumber}`,
    model: 'Refrigerated truck 6.8 m, frozen',
    place: '',
    organizationCode: 'DEMO-FLEET',
    ...DEPOT,
    deviceNumber,
    deviceModel: 'IT-V2 vehicle unit',
    transport: 'http',
    body,
    probes: [{ name: 'front', lagS: 20, offsetK: 0, inProduct: 0, draughtK: 0 }],
    extras: ['door'],
    limits: FROZEN,
    batteryPerDay: 0,
    batteryAtStart: 100,
  };
  await client.call(provisionDevices, { body: { items: [provisionItemOf(asset, SECRET, TRIGGER_MS)] } });
  const [stored] = await queryDatabase<{ id: number; organizationId: number }>(
    demo.databaseUrl,
    `select id::float8 as id, organization_id::float8 as "organizationId" from asset where code = $1`,
    [asset.code],
  );
  if (!stored) throw new Error(`${asset.code} was not created`);

  const channels = channelsOf(asset);
  const random = { state: 1 };
  let disturbances: Disturbance[] = [];
  let state = startingState(asset, Date.now());
  const stopped = new AbortController();
  async function report(): Promise<void> {
    const at = Date.now();
    state = stepAsset(asset, state, at - state.at, speedAt(disturbances, at), disturbances, random);
    const readings = measure(asset, state, random).map((value, index) => ({
      channel: channels[index]?.key,
      at,
      value,
    }));
    const { latitude, longitude, speedKmh } = state.vehicle ?? { ...DEPOT, speedKmh: 0 };
    const answer = await fetch(demo.url + INGEST_PATH, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${deviceNumber}:${deviceKey(SECRET, deviceNumber)}`).toString('base64')}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ readings, positions: [{ at, latitude, longitude, speedKmh }] }),
    });
    if (!answer.ok) throw new Error(`a message was refused: ${await answer.text()}`);
  }
  await report();
  const running = (async () => {
    while (!stopped.signal.aborted) {
      await new Promise((wake) => setTimeout(wake, EVERY_MS));
      await report();
    }
  })();
  // Without a handler until `stop`, a refused message would end the test process.
  running.catch(() => undefined);
  return {
    ...stored,
    name,
    driveOff() {
      body.startHour = localHour(Date.now()) - LOADING_H;
    },
    openDoor() {
      disturbances = [disturbance('door-left-open', Date.now(), THERMAL_SPEED)];
    },
    closeDoor() {
      const now = Date.now();
      // The body cools down again as fast as it warmed up.
      disturbances = disturbances.map((each) => ({ ...each, until: now }));
    },
    async stop() {
      stopped.abort();
      await running;
    },
  };
}
