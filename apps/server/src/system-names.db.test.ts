import { readFile } from 'node:fs/promises';
import type { DeviceDetail } from '@isotherm/contracts/device-registry';
import { HEADER } from '@isotherm/contracts/signing';
import { logIn } from '@isotherm/simulator/client/api-client';
import { openConsoleSocket } from '@isotherm/simulator/client/console-socket';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fridge, type Session, startTestServer, TEST_KEY, type TestServer } from './testing/test-server.ts';

const SYSTEM = '35000001';
const TYPED = '35000002';
let server: TestServer;
let manager: Session;

beforeAll(async () => {
  server = await startTestServer();
  manager = await server.logIn('demo.manager');
  await server.provision(manager, [named(SYSTEM, '{name:load}'), named(TYPED, 'Cajón de Ana')]);
  const at = Date.now() - 600_000;
  for (const number of [SYSTEM, TYPED])
    await server.ingest(number, TEST_KEY, {
      readings: [9, 9.4, 9].map((value, i) => ({ channel: 'temperature-1', at: at + i * 60_000, value })),
    });
});
afterAll(() => server.stop());

function named(number: string, name: string, organizationCode = 'DEMO-HOSPITAL') {
  const item = fridge(number, { organizationCode });
  return {
    ...item,
    sensors: item.sensors.map((sensor) => ({
      ...sensor,
      name,
      channels: sensor.channels.map((channel) => ({ ...channel, name })),
    })),
  };
}

async function ask<T>(language: string, path: string, query: Record<string, string> = {}): Promise<T> {
  const answer = await server.call<T>({
    path: `/api${path}`,
    query,
    session: manager,
    headers: { [HEADER.language]: language },
  });
  expect(answer.status).toBe('1');
  return answer.data;
}

const sensorOf = async (language: string, number = SYSTEM) =>
  (await ask<DeviceDetail>(language, `/device/list/${number}`)).sensors[0];

test.each([
  ['en', 'Load'],
  ['es', 'Carga'],
  ['zh-CN', '货物'],
  ['zh-TW', '貨物'],
])('a system name is shown in %s as %s, and a name entered by a user as entered', async (language, word) => {
  expect(await sensorOf(language)).toMatchObject({
    name: word,
    channels: [{ name: word }, { name: word }],
  });
  expect(await sensorOf(language, TYPED)).toMatchObject({ name: 'Cajón de Ana' });
});

test("alarms can be searched by the channel name in the reader's language", async () => {
  const found = async (language: string, search: string) =>
    (
      await ask<{ items: { deviceNumber: string; channelName: string }[] }>(language, '/alarm/current', {
        search,
      })
    ).items.map(({ deviceNumber, channelName }) => [deviceNumber, channelName]);
  expect(await found('zh-CN', '货物')).toEqual([[SYSTEM, '货物']]);
  expect(await found('en', '货物')).toEqual([]);
  // The stored key of a system name is not searched, although it contains "name", and "load" in English.
  expect(await found('zh-CN', 'name')).toEqual([]);
  expect(await found('zh-CN', 'load')).toEqual([]);
  expect(await found('zh-CN', 'cajón')).toEqual([[TYPED, 'Cajón de Ana']]);
});

test("a spreadsheet of readings has names in the caller's language", async () => {
  const { channels } = (await sensorOf('en')) as { channels: { channelId: number }[] };
  const answer = await server.call<never>({
    method: 'POST',
    path: '/api/telemetry/export',
    json: {
      channels: channels.map(({ channelId }) => channelId),
      from: new Date(Date.now() - 3_600_000).toISOString(),
      to: new Date().toISOString(),
      format: 'csv',
      zone: 'UTC',
    },
    session: manager,
    headers: { [HEADER.language]: 'es' },
  });
  expect(JSON.stringify(answer)).toContain('Carga');
});

test('a console gets alarms in its language from its first message on', async () => {
  const socket = await openConsoleSocket(await logIn(server.url, 'demo.manager', 'Isotherm-2026'), 'zh-TW');
  const number = '35000003';
  await server.provision(manager, [named(number, '{name:pallet}')]);
  const at = Date.now() - 300_000;
  await server.ingest(number, TEST_KEY, {
    readings: [9, 9.4, 9].map((value, i) => ({ channel: 'temperature-1', at: at + i * 60_000, value })),
  });
  await expect
    .poll(() => socket.messages.filter(({ event }) => event === '0003'))
    .toMatchObject([{ message: expect.stringContaining('棧板'), alarm: { channelName: '棧板' } }]);
  socket.close();
});

test('a sensor keeps its system name when its form is saved with other changes, and loses it when renamed', async () => {
  const save = (name: string, language: string) =>
    server.call({
      method: 'PUT',
      path: `/api/device/list/${SYSTEM}/sensor/1`,
      json: { name, serial: 'S-1', disabled: false },
      session: manager,
      headers: { [HEADER.language]: language },
    });
  expect(await save('货物', 'zh-CN')).toMatchObject({ status: '1' });
  expect(await sensorOf('es')).toMatchObject({ name: 'Carga', serial: 'S-1' });
  expect(await save('Shelf of Ana', 'en')).toMatchObject({ status: '1' });
  expect(await sensorOf('es')).toMatchObject({ name: 'Shelf of Ana' });
});

test('the migration turns demo names into system names, and changes no other names', async () => {
  await server.pool.query(`update sensor set name = 'Probe Rear, door side' where serial = 'S-1'`);
  const elsewhere = '35000004';
  const platform = await server.logIn('demo.platform');
  await server.provision(platform, [named(elsewhere, 'Front', 'PLATFORM')]);
  await server.pool.query(
    await readFile(new URL('../migrations/0190_system_names.sql', import.meta.url), 'utf8'),
  );
  expect(await sensorOf('zh-CN')).toMatchObject({ name: '后部（门侧）' });
  expect(await sensorOf('zh-CN', TYPED)).toMatchObject({ name: 'Cajón de Ana' });
  const { rows } = await server.pool.query(
    `select s.name as sensor, c.name as channel from sensor s join channel c on c.sensor_id = s.id
       join device d on d.id = s.device_id where d.number = $1`,
    [elsewhere],
  );
  expect(rows).toEqual([
    { sensor: 'Front', channel: 'Front' },
    { sensor: 'Front', channel: 'Front' },
  ]);
});
