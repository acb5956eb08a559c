import type { AssetDetail } from '@isotherm/contracts/assets';
import type { DeviceDetail } from '@isotherm/contracts/device-registry';
import type { ResponseOf } from '@isotherm/contracts/route';
import type { Aggregates, getCurve } from '@isotherm/contracts/telemetry';
import { DAY_MS } from '@isotherm/domain/readings/sealed-day';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLog } from '../../platform/log.ts';
import {
  fridge,
  type Session,
  startTestServer,
  TEST_KEY,
  type TestServer,
} from '../../testing/test-server.ts';
import { sealClosedDays } from './seal.ts';

const NUMBER = '60000031';
const HOUR_MS = 3_600_000;
const now = Date.now();
const today = Math.floor(now / DAY_MS) * DAY_MS;
const FIRST = today - 5 * DAY_MS;
/** In the middle of an hour of a sealed day. */
const EXPIRY = today - 2 * DAY_MS + 6.5 * HOUR_MS;
let server: TestServer;
let owner: pg.Pool;
let session: Session;
let channelId: number;
let assetId: number;

beforeAll(async () => {
  server = await startTestServer();
  owner = new pg.Pool({ connectionString: server.pool.options.connectionString, max: 2 });
  owner.on('error', () => undefined);
  await server.provision(await server.logIn('demo.manager'), [fridge(NUMBER)]);
  const { rows } = await server.pool.query<{ id: number; asset: number }>(
    `select c.id, c.asset_id::int as asset from channel c join device d on d.id = c.device_id
      where d.number = $1 and c.indicator = 'temperature'`,
    [NUMBER],
  );
  ({ id: channelId, asset: assetId } = rows[0] as { id: number; asset: number });
  await server.pool.query(
    `insert into reading (channel_id, delay_s, measured_at, value)
     select $1, 0, t, 5 from generate_series($2::timestamptz, $3, '10 minutes') t`,
    [channelId, new Date(FIRST), new Date(now - 60_000)],
  );
  await sealClosedDays({
    pool: server.pool,
    owner,
    log: createLog('silent', false),
    clock: { now: () => now },
    sealAfterMs: 0,
  });
  session = await server.logIn('demo.auditor');
});
afterAll(async () => {
  await owner.end();
  await server.stop();
});

const expireAt = (at: number | null) =>
  server.pool.query('update device set expires_at = $2 where number = $1', [
    NUMBER,
    at === null ? null : new Date(at),
  ]);
const range = { from: new Date(FIRST).toISOString(), to: new Date(now).toISOString() };
async function curve(points = 4_000) {
  const { data } = await server.call<ResponseOf<typeof getCurve>>({
    path: '/api/telemetry/curve',
    query: { channels: String(channelId), points: String(points), ...range },
    session,
  });
  return data.series[0] as (typeof data.series)[number];
}
const counted = async () => {
  const { data } = await server.call<Aggregates>({
    path: '/api/telemetry/aggregates',
    query: { channels: String(channelId), period: 'hour', zone: 'UTC', ...range },
    session,
  });
  return (data.series[0]?.count ?? []).reduce((sum, count) => sum + count, 0);
};
async function exportedTimes(): Promise<string[]> {
  const { data } = await server.call<string>({
    method: 'POST',
    path: '/api/telemetry/export',
    json: { channels: [channelId], zone: 'UTC', format: 'csv', ...range },
    session,
  });
  return data
    .trim()
    .split('\n')
    .slice(1)
    .map((row) => row.slice(0, 19));
}
const asset = async () => (await server.call<AssetDetail>({ path: `/api/asset/${assetId}`, session })).data;
const device = async () =>
  (await server.call<DeviceDetail>({ path: `/api/device/list/${NUMBER}`, session })).data;
const send = (at: number) =>
  server.ingest(NUMBER, TEST_KEY, { readings: [{ channel: 'temperature-1', at, value: 5.5 }] });

test('an expiry in the middle of a range hides what lies after it, in charts, statistics and exports, until a renewal', async () => {
  const all = await curve();
  expect(all.hiddenFrom).toBeNull();
  await expireAt(EXPIRY);
  const shown = await curve();
  expect(shown.hiddenFrom).toBe(new Date(EXPIRY).toISOString());
  expect(shown.at).toEqual(all.at.filter((at) => at < EXPIRY));
  expect(shown.statistics?.count).toBe(shown.at.length);
  // Few points are reduced from the hours of sealed days.
  const reduced = await curve(60);
  expect(reduced.statistics?.count).toBe(shown.at.length);
  expect(reduced.at.every((at) => at < EXPIRY)).toBe(true);
  expect(await counted()).toBe(shown.at.length);
  const times = await exportedTimes();
  expect(times).toHaveLength(shown.at.length);
  expect(times.at(-1)).toBe(new Date(EXPIRY - 10 * 60_000).toISOString().slice(0, 19));
  await expireAt(now + DAY_MS);
  expect((await curve()).at).toEqual(all.at);
  expect(await counted()).toBe(all.at.length);
});

test('readings of an expired device are acknowledged and stored; its asset and its device show that it has expired instead of a value', async () => {
  expect((await send(now - 30_000)).data).toMatchObject({ accepted: 1 });
  expect((await asset()).main?.value).toBe(5.5);
  await expireAt(EXPIRY);
  expect((await send(now - 20_000)).data).toMatchObject({ accepted: 1 });
  const expired = await asset();
  expect(expired.state).toEqual({ kind: 'expired', since: new Date(EXPIRY).toISOString() });
  expect(expired.main?.value).toBeNull();
  expect((await device()).sensors.flatMap(({ channels }) => channels.map(({ value }) => value))).toEqual(
    expect.not.arrayContaining([5.5]),
  );
  await expireAt(null);
  expect((await asset()).main?.value).toBe(5.5);
});
