import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { provisionDevices } from '@isotherm/contracts/devices';
import { logIn } from '@isotherm/simulator/client/api-client';
import { type DemoServer, type IngestPeer, startDemoServer } from '@isotherm/testkit/demo-server';
import { findMosquitto, type Mosquitto, startMosquitto } from '@isotherm/testkit/mosquitto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { impliedAlarms, storedAlarms } from './implied-alarms.ts';
import {
  type Doors,
  expectAllGoOn,
  loadedItem,
  PROTOCOLS,
  type Protocol,
  startLoadedDevice,
} from './loaded-device.ts';
import { describeSmallDisk } from './small-disk.ts';
import { queryDatabase, storedReadings } from './stored.ts';

const DEVICES = 24;
const ROUNDS = 20;
const REST_MS = 25;
/** Duration of the outage, longer than an HTTP request waits for its commit. */
const AWAY_MS = 17_000;
const START_MS_AGO = 120 * 3_600_000;
const BROKER_PASSWORD = 'of the broker';
/** Without Mosquitto, the other programs are killed in all rounds. */
const withBroker = findMosquitto() !== null;
const protocols = PROTOCOLS.filter((protocol) => protocol !== 'broker' || withBroker);

const numbers = Array.from({ length: DEVICES }, (_, index) => String(50_000_001 + index));
let folder: string;
let mosquitto: Mosquitto | null = null;
let demo: DemoServer;
let peer: IngestPeer;
let doors: Doors[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'isotherm-faults-'));
  mosquitto = withBroker ? await startBroker() : null;
  demo = await startDemoServer({
    LOG_LEVEL: 'warn',
    // Sealing is disabled, because readings are counted in the unsealed table.
    ISOTHERM_SEAL_AFTER_HOURS: '10000',
    ...(mosquitto && {
      ISOTHERM_MQTT_BROKER_URL: `mqtt://isotherm:${encodeURIComponent(BROKER_PASSWORD)}@127.0.0.1:${mosquitto.port}`,
    }),
  });
  peer = await demo.startPeer();
  doors = [demo, peer].map(({ url, mqttUrl, tcpUrl }) => ({
    url,
    mqttUrl,
    tcpUrl,
    ...(mosquitto && { broker: { url: `mqtt://127.0.0.1:${mosquitto.port}`, password: BROKER_PASSWORD } }),
  }));
});
afterAll(async () => {
  await demo?.stop();
  await mosquitto?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Starts the broker with the access list in docs/operating.md. */
function startBroker(): Promise<Mosquitto> {
  const page = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8');
  return startMosquitto({
    folder,
    users: Object.fromEntries(['isotherm', ...numbers].map((name) => [name, BROKER_PASSWORD])),
    acl: /```acl\n([^`]+)```/.exec(page)?.[1]?.replaceAll(/^ +/gm, '') ?? '',
  });
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const query = <T>(text: string, values: unknown[]) => queryDatabase<T>(demo.databaseUrl, text, values);

/** Returns the events of each alarm in the outbox. */
const storedNews = (number: string) =>
  query<{ ended: boolean; raised: number; changed: number }>(
    `select a.ended_at is not null as ended,
            (count(*) filter (where n.topic = 'alarm.raised'))::int as raised,
            (count(*) filter (where n.topic = 'alarm.changed'))::int as changed
       from alarm a join channel c on c.id = a.channel_id join device d on d.id = c.device_id
       left join outbox n on n.alarm_id = a.id
      where d.number = $1 group by a.id`,
    [number],
  );

async function provision(numbers: readonly string[]): Promise<void> {
  const account = demo.accounts[0] as { username: string; password: string };
  const manager = await logIn(demo.url, account.username, account.password);
  await manager.call(provisionDevices, { body: { items: numbers.map(loadedItem) } });
}

/** Time limit for all kills, each with a restart: less than two minutes alone, more when other tests run. */
const KILLS_FOR_MS = 600_000;

/** Yields the programs to kill, all of them repeatedly in random order. */
function* victims<T>(all: readonly T[]): Generator<T> {
  for (;;) yield* all.toSorted(() => Math.random() - 0.5);
}

test('after repeated kills under load, no acknowledged reading, alarm or event is lost or duplicated', {
  timeout: KILLS_FOR_MS,
}, async () => {
  await provision(numbers);
  const startAt = Date.now() - START_MS_AGO;
  const devices = numbers.map((number, index) => {
    const protocol = protocols[index % protocols.length] as Protocol;
    // Each device uses one server, or both.
    const to = index % 3 === 2 ? doors : [doors[index % 3] as Doors];
    return startLoadedDevice(protocol, number, startAt, to, REST_MS);
  });
  const killed = async ({ signal, exited }: DemoServer['server'], start: () => Promise<void>) => {
    signal('SIGKILL');
    await exited;
    await start();
  };
  const choose = victims([
    { name: 'the server', strike: () => killed(demo.server, demo.startServer) },
    { name: 'its peer', strike: () => killed(peer.program, peer.start) },
    {
      name: 'the database',
      strike: async () => {
        await demo.postgres.stop('SIGKILL');
        await demo.startPostgres();
      },
    },
    ...(mosquitto
      ? [
          {
            name: 'the broker',
            strike: () => killed((mosquitto as Mosquitto).program, (mosquitto as Mosquitto).start),
          },
        ]
      : []),
  ]);
  try {
    await expectAllGoOn(devices, 'the start');
    for (let round = 0; round < ROUNDS; round++) {
      const { name, strike } = choose.next().value as { name: string; strike: () => Promise<void> };
      await pause(Math.random() * 200);
      await strike();
      await expectAllGoOn(devices, `${name} was killed in round ${round}`);
    }
  } finally {
    await Promise.all(devices.map((device) => device.stop()));
  }

  let alarms = 0;
  for (const device of devices) {
    const stored = await storedReadings(demo.databaseUrl, device.number);
    // The latest message may be stored without its acknowledgement, but nothing may be missing.
    expect(stored.slice(0, device.acknowledged.length)).toEqual(device.acknowledged);
    expect(stored.length - device.acknowledged.length).toBeLessThanOrEqual(5);
    const expected = impliedAlarms(stored);
    expect(await storedAlarms(demo.databaseUrl, device.number)).toEqual(expected);
    for (const { ended, raised, changed } of await storedNews(device.number)) {
      expect(changed).toBe(ended ? 1 : 0);
      // An alarm that was raised and ended in one batch has one event.
      if (raised !== 1) expect({ ended, raised }).toEqual({ ended: true, raised: 0 });
    }
    alarms += expected.length;
  }
  expect(alarms).toBeGreaterThan(DEVICES);
});

test('while the database is unavailable nothing is acknowledged, and everything arrives afterwards', async () => {
  const numbers = ['51000001', '51000002'];
  await provision(numbers);
  const startAt = Date.now() - START_MS_AGO;
  const devices = numbers.map((number, index) =>
    startLoadedDevice(index === 0 ? 'http' : 'mqtt', number, startAt, [demo]),
  );
  const acknowledged = () => devices.map((device) => device.acknowledged.length);
  await expect.poll(() => Math.min(...acknowledged()), { timeout: 20_000 }).toBeGreaterThan(50);

  await demo.postgres.stop();
  const atStop = acknowledged();
  await pause(AWAY_MS);
  // A message may have been committed while its acknowledgement was in flight.
  for (const [index, count] of acknowledged().entries())
    expect(count - (atStop[index] as number)).toBeLessThanOrEqual(5);
  expect((await fetch(`${demo.url}/healthz`)).status).toBe(200);
  expect((await fetch(`${demo.url}/readyz`)).status).toBe(503);

  await demo.startPostgres();
  const before = acknowledged();
  await expect
    .poll(() => acknowledged().every((count, index) => count > (before[index] as number) + 50), {
      timeout: 30_000,
    })
    .toBe(true);
  await Promise.all(devices.map((device) => device.stop()));
  expect((await fetch(`${demo.url}/readyz`)).status).toBe(200);
  for (const device of devices)
    expect(
      (await storedReadings(demo.databaseUrl, device.number)).slice(0, device.acknowledged.length),
    ).toEqual(device.acknowledged);
});

describeSmallDisk();
