import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { provisionDevices } from '@isotherm/contracts/devices';
import { readingsTopic } from '@isotherm/contracts/ingest';
import { logIn } from '@isotherm/simulator/client/api-client';
import { type Cluster, type ClusterProcess, startCluster } from '@isotherm/testkit/cluster';
import { type Mosquitto, startMosquitto } from '@isotherm/testkit/mosquitto';
import mqtt, { type MqttClient } from 'mqtt';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadedItem, messageOf } from './loaded-device.ts';
import { queryDatabase } from './stored.ts';

/**
 * Tests several processes with a real broker (`npm run test:broker`). Their sessions never expire at the
 * broker (broker.db.test.ts), so all ingest processes may be down as long as the broker's disk has space for
 * the messages.
 */
const PASSWORD = 'of the broker';
const PUBLISH_EVERY_MS = 20;
/** Maximum time until another process takes over a session (issue 11, fault 16). */
const TAKEN_OVER_WITHIN_S = 5;
const numbers = Array.from({ length: 10 }, (_, index) => String(56_000_001 + index));

let folder: string;
let mosquitto: Mosquitto;
let cluster: Cluster;
let processes: ClusterProcess[];
let clients: MqttClient[];
let published = 0;
let turn = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'isotherm-broker-'));
  const page = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8');
  mosquitto = await startMosquitto({
    folder,
    users: Object.fromEntries(['isotherm', ...numbers].map((name) => [name, PASSWORD])),
    acl: /```acl\n([^`]+)```/.exec(page)?.[1]?.replaceAll(/^ +/gm, '') ?? '',
  });
  cluster = await startCluster({
    ISOTHERM_MQTT_BROKER_URL: `mqtt://isotherm:${encodeURIComponent(PASSWORD)}@127.0.0.1:${mosquitto.port}`,
  });
  processes = await cluster.start(['web,ingest', 'ingest']);
  const { username, password } = cluster.accounts[0] as Cluster['accounts'][number];
  const manager = await logIn((processes[0] as ClusterProcess).url, username, password);
  await manager.call(provisionDevices, { body: { items: numbers.map(loadedItem) } });
  clients = numbers.map((number) => {
    const client = mqtt.connect(`mqtt://127.0.0.1:${mosquitto.port}`, {
      username: number,
      password: PASSWORD,
      protocolVersion: 5,
      clientId: number,
      reconnectPeriod: 100,
    });
    client.on('error', () => undefined);
    return client;
  });
});
afterAll(async () => {
  for (const client of clients ?? []) await client.endAsync(true);
  await cluster?.stop();
  await mosquitto?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Publishes a reading of one device after the other; resolves when the broker has acknowledged it. */
async function publish(): Promise<void> {
  const index = turn++ % numbers.length;
  await (clients[index] as MqttClient).publishAsync(
    readingsTopic(numbers[index] as string),
    JSON.stringify(messageOf([{ at: Date.now(), value: 5 }])),
    { qos: 1 },
  );
  published++;
}

async function publishFor(ms: number): Promise<void> {
  const until = Date.now() + ms;
  while (Date.now() < until) {
    await publish();
    await new Promise((wake) => setTimeout(wake, PUBLISH_EVERY_MS));
  }
}

async function stored(): Promise<{ count: number; longest: number }> {
  const [row] = await queryDatabase<{ count: number; longest: number }>(
    cluster.databaseUrl,
    'select count(*)::int as count, coalesce(max(delay_s), 0)::int as longest from reading',
  );
  return row as { count: number; longest: number };
}
const storedCount = async () => (await stored()).count;

test('when a process is killed, another one takes over its session, and no reading is delayed by more than 5 s', async () => {
  await publishFor(2_000);
  await expect.poll(storedCount).toBe(published);
  const [, second] = processes as [ClusterProcess, ClusterProcess];
  const publishing = publishFor(10_000);
  await second.kill();
  await publishing;
  await expect.poll(storedCount).toBe(published);
  expect((await stored()).longest).toBeLessThanOrEqual(TAKEN_OVER_WITHIN_S);
});

test('a restarted process gets its session back, and nothing is lost', async () => {
  const [, second] = processes as [ClusterProcess, ClusterProcess];
  const publishing = publishFor(5_000);
  await second.start();
  await publishing;
  await expect.poll(storedCount).toBe(published);
});

test('messages published while all ingest processes and then the broker were down are delivered to processes with other client ids', async () => {
  const killing = Promise.all(processes.map((process) => process.kill()));
  await publishFor(3_000);
  await killing;
  await mosquitto.program.stop();
  await mosquitto.start();
  const before = await storedCount();
  expect(before).toBeLessThan(published);
  // With other ports, the processes have other client ids.
  processes = await cluster.start(['web,ingest', 'ingest']);
  await expect.poll(storedCount).toBe(published);
});
