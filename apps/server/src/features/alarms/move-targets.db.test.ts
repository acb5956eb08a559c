import type { AlarmMoveTarget } from '@isotherm/contracts/alarms';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  fridge,
  type Session,
  startTestServer,
  TEST_KEY,
  type TestServer,
} from '../../testing/test-server.ts';

const [WARM, HEALTHY, SILENT] = ['35000101', '35000102', '35000103'] as const;
let server: TestServer;
let manager: Session;

beforeAll(async () => {
  server = await startTestServer();
  manager = await server.logIn('demo.manager');
  await server.provision(
    manager,
    [WARM, HEALTHY, SILENT].map((number) => fridge(number)),
  );
});
afterAll(() => server.stop());

const send = (number: string, value: number) =>
  server.ingest(number, TEST_KEY, {
    readings: [2, 1, 0].map((minutes) => ({
      channel: 'temperature-1',
      at: Date.now() - minutes * 60_000 - 1_000,
      value,
    })),
  });

async function assetOf(number: string): Promise<number> {
  const { rows } = await server.pool.query('select asset_id::float8 as id from device where number = $1', [
    number,
  ]);
  return rows[0].id;
}

test('an asset that reports and is within the same limits is offered, with its distance', async () => {
  await send(WARM, 12);
  await send(HEALTHY, 5);
  for (const [number, longitude] of [
    [WARM, 121],
    [HEALTHY, 121.1],
  ] as const)
    await server.pool.query('update asset set latitude = 31, longitude = $2 where id = $1', [
      await assetOf(number),
      longitude,
    ]);
  const { rows } = await server.pool.query(
    `select a.id::float8 as id from alarm a join channel c on c.id = a.channel_id join device d on d.id = c.device_id
      where d.number = $1 and a.kind = 'high'`,
    [WARM],
  );
  const path = `/api/alarm/${rows[0].id}/move-targets`;
  const targets = async () => (await server.call<AlarmMoveTarget[]>({ path, session: manager })).data;
  expect(await targets()).toMatchObject([{ id: await assetOf(HEALTHY), temperatureC: 5 }]);
  expect(((await targets())[0]?.distanceM ?? 0) / 1000).toBeCloseTo(9.53, 1);
  await send(HEALTHY, 12);
  expect(await targets()).toEqual([]);
});
