import type { CalibrationView, listUncalibratedSensors } from '@isotherm/contracts/calibrations';
import type { ResponseOf } from '@isotherm/contracts/route';
import type { getCurve } from '@isotherm/contracts/telemetry';
import { DAY_MS } from '@isotherm/domain/readings/sealed-day';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectDone } from '../../testing/people.ts';
import {
  fridge,
  type Session,
  startTestServer,
  TEST_KEY,
  type TestServer,
} from '../../testing/test-server.ts';

/**
 * Tests certificates end to end: recorded by the API, and applied to readings that a device sends
 * afterwards.
 */
const NUMBER = '60000071';
/** Number of the device with a correct sensor in the same refrigerator. */
const UNCALIBRATED = '60000072';
const clock = { offset: 0, now: () => Date.now() + clock.offset };
const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
let server: TestServer;
let manager: Session;
let channelId: number;
let sensorId: number;
let certificate: CalibrationView;

beforeAll(async () => {
  server = await startTestServer({ clock });
  manager = await server.logIn('demo.manager');
  await server.provision(manager, [
    fridge(NUMBER, { triggerAfterMs: 5_000 }),
    fridge(UNCALIBRATED, { triggerAfterMs: 5_000 }),
  ]);
  const { rows } = await server.pool.query<{ id: number; sensor_id: number }>(
    `select c.id, c.sensor_id from channel c join device d on d.id = c.device_id
      where d.number = $1 and c.indicator = 'temperature'`,
    [NUMBER],
  );
  channelId = (rows[0] as { id: number }).id;
  sensorId = (rows[0] as { sensor_id: number }).sensor_id;
});
afterAll(() => server.stop());

const form = (more: object = {}) => ({
  certificate: 'CNAS-2026-1',
  laboratory: 'Metrology',
  calibratedOn: '2026-01-10',
  dueOn: '2099-01-10',
  appliedFrom: new Date(today - 2 * DAY_MS).toISOString(),
  points: [
    { channelId, reference: 2, reading: 3, uncertainty: 0.05 },
    { channelId, reference: 8, reading: 9 },
  ],
  ...more,
});
const record = (json: object) =>
  server.call<CalibrationView>({ method: 'POST', path: '/api/device/calibration', session: manager, json });

async function send(at: number, value: number, number = NUMBER): Promise<void> {
  const readings = [{ channel: 'temperature-1', at: new Date(at).toISOString(), value }];
  expect((await server.ingest(number, TEST_KEY, { readings })).data.accepted).toBe(1);
}

async function curve(from: number, to: number, points = 800, channel = channelId) {
  const { data } = await server.call<ResponseOf<typeof getCurve>>({
    path: '/api/telemetry/curve',
    query: {
      channels: String(channel),
      points: String(points),
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
    },
    session: manager,
  });
  const [series] = data.series;
  return {
    min: series?.min ?? [],
    max: series?.max ?? [],
    corrected: series?.corrected,
    endedAt: series?.calibrationEndedAt,
  };
}

async function stored(): Promise<number[]> {
  const { rows } = await server.pool.query<{ value: number }>(
    'select value from reading where channel_id = $1 order by measured_at',
    [channelId],
  );
  return rows.map((row) => row.value);
}

test('a certificate corrects readings from its date on, and none before it', async () => {
  await send(today - 2 * DAY_MS - 60_000, 6);
  await send(today - 2 * DAY_MS, 6);
  expect((await curve(today - 3 * DAY_MS, today)).max).toEqual([6, 6]);
  certificate = expectDone(await record({ sensorId, ...form() }));
  expect(certificate).toMatchObject({ state: 'valid', superseded: false });
  expect((await curve(today - 3 * DAY_MS, today)).max).toEqual([6, 5]);
});

test('the chart can show uncorrected values, and an export has columns for both values', async () => {
  const asked = { from: new Date(today - 3 * DAY_MS).toISOString(), to: new Date(today).toISOString() };
  const { data } = await server.call<ResponseOf<typeof getCurve>>({
    path: '/api/telemetry/curve',
    query: { channels: String(channelId), ...asked, told: 'said' },
    session: manager,
  });
  expect(data.series[0]).toMatchObject({ max: [6, 6], corrected: true });
  const file = await server.call<never>({
    method: 'POST',
    path: '/api/telemetry/export',
    json: { channels: [channelId], ...asked, format: 'csv', zone: 'UTC' },
    session: manager,
  });
  const lines = String((file as { data: unknown }).data ?? JSON.stringify(file));
  expect(lines).toContain('Sensor value (uncorrected)');
  expect(lines).toMatch(/,5,°C,.*,6/);
});

test('an export contains negative readings of the sensor as numbers', async () => {
  await send(today - DAY_MS - 30_000, -19);
  const asked = { from: new Date(today - 3 * DAY_MS).toISOString(), to: new Date(today).toISOString() };
  const file = await server.call<string>({
    method: 'POST',
    path: '/api/telemetry/export',
    json: { channels: [channelId], ...asked, format: 'csv', zone: 'UTC' },
    session: manager,
  });
  expect(file.data).toMatch(/,-20,°C,.*,-19\r/);
  await server.pool.query('delete from reading where channel_id = $1 and value = -19', [channelId]);
});

test('readings after a certificate are stored as sent, and evaluated and displayed as corrected', async () => {
  clock.offset += 31_000;
  await send(today - 30_000, 8.9);
  await send(today - 20_000, 8.4);
  for (const at of [today - 30_000, today - 20_000]) await send(at, 8.9, UNCALIBRATED);
  expect(await stored()).toEqual([6, 6, 8.9, 8.4]);
  const { rows } = await server.pool.query<{ value: number }>(
    'select value from channel_latest where channel_id = $1',
    [channelId],
  );
  expect(rows[0]?.value).toBeCloseTo(7.4, 5);
  const alarms = await server.pool.query<{ number: string }>(
    `select d.number from alarm a join channel c on c.id = a.channel_id join device d on d.id = c.device_id
      where d.number = any($1)`,
    [[NUMBER, UNCALIBRATED]],
  );
  expect(alarms.rows).toEqual([{ number: UNCALIBRATED }]);
});

test('aggregates and long charts are computed from the corrected readings', async () => {
  const long = await curve(today - 400 * DAY_MS, today, 50);
  expect(Math.max(...long.max)).toBe(7.9);
  expect(Math.min(...long.min)).toBe(5);
});

test('a certificate does not correct readings of another instrument at the same place', async () => {
  const until = new Date(today - 25_000);
  const begin = (from: Date | string) =>
    server.pool.query('update binding set valid_from = $2 where channel_id = $1', [channelId, from]);
  await begin(until);
  expect((await curve(today - 3 * DAY_MS, today)).max).toEqual([6, 6, 8.9, 7.4]);
  await begin('-infinity');
});

test('the latest certificate of a sensor applies, and a deleted one does not', async () => {
  const next = expectDone(
    await record({
      sensorId,
      ...form({ certificate: 'CNAS-2026-2', calibratedOn: '2026-03-01', appliedFrom: null, points: [] }),
    }),
  );
  const listed = expectDone(
    await server.call<{ items: CalibrationView[] }>({
      path: '/api/device/calibration',
      query: { shown: 'all', search: NUMBER, sort: 'calibratedOn' },
      session: manager,
    }),
  ).items;
  expect(listed.map(({ id, superseded }) => [id, superseded])).toEqual([
    [certificate.id, true],
    [next.id, false],
  ]);
  expectDone(
    await server.call({
      method: 'DELETE',
      path: `/api/device/calibration/${certificate.id}`,
      session: manager,
      json: { reason: 'Entered for the wrong sensor' },
    }),
  );
  expect((await curve(today - 3 * DAY_MS, today)).max).toEqual([6, 6, 8.9, 8.4]);
});

test.each([
  ['the next date is before the calibration', { dueOn: '2026-01-10' }, 'request.invalid'],
  ['it is to be applied but has no point', { points: [] }, 'request.invalid'],
  [
    'the same point occurs twice',
    { points: [1, 2].map((reference) => ({ reference, reading: 5 })) },
    'request.invalid',
  ],
  ['the certificate already exists', { certificate: 'CNAS-2026-2' }, 'calibration.taken'],
] as const)('a certificate is refused: %s', async (_words, more, code) => {
  const answer = await record({ sensorId, ...form(more) });
  expect(answer.status).toBe(code);
});

test('a certificate with a physically impossible value is refused', async () => {
  const points = [{ channelId, reference: -1000, reading: 5 }];
  const answer = await server.call<{ fields: { field: string }[] }>({
    method: 'POST',
    path: '/api/device/calibration',
    session: manager,
    json: { sensorId, ...form({ certificate: 'WILD', points }) },
  });
  expect(answer).toMatchObject({
    status: 'request.invalid',
    data: { fields: [{ field: 'points.0.reference' }] },
  });
});

test('a certificate for a channel of another sensor or for an unknown sensor is refused', async () => {
  const { rows } = await server.pool.query<{ id: number }>(
    `select c.id from channel c join device d on d.id = c.device_id where d.number = $1 limit 1`,
    [UNCALIBRATED],
  );
  const foreign = [{ channelId: rows[0]?.id, reference: 1, reading: 1 }];
  expect((await record({ sensorId, ...form({ certificate: 'X', points: foreign }) })).status).toBe(
    'calibration.channel',
  );
  expect((await record({ sensorId: 999_999, ...form() })).status).toBe('sensor.not_found');
});

test('sensors are counted by the state of their latest certificate', async () => {
  const count = async () =>
    expectDone(
      await server.call<Record<string, number>>({ path: '/api/device/calibration-count', session: manager }),
    );
  const before = await count();
  expectDone(
    await record({
      sensorId,
      ...form({ certificate: 'LATE', calibratedOn: '2026-04-01', dueOn: '2026-05-01' }),
    }),
  );
  const { corrected, endedAt } = await curve(today - 3 * DAY_MS, today);
  expect({ corrected, endedAt }).toEqual({ corrected: true, endedAt: '2026-05-02T00:00:00.000Z' });
  expect(await count()).toEqual({
    ...before,
    valid: (before.valid ?? 0) - 1,
    overdue: (before.overdue ?? 0) + 1,
  });
});

test('the list of sensors that were never calibrated matches their count', async () => {
  const listed = async (search = '') =>
    expectDone(
      await server.call<ResponseOf<typeof listUncalibratedSensors>>({
        path: '/api/device/calibration-never',
        query: { search, pageSize: '200' },
        session: manager,
      }),
    );
  const { items } = await listed(UNCALIBRATED);
  expect(items.map(({ deviceNumber }) => deviceNumber)).toEqual([UNCALIBRATED]);
  expect((await listed(NUMBER)).items.map(({ id }) => id)).not.toContain(sensorId);
  const counts = expectDone(
    await server.call<Record<string, number>>({ path: '/api/device/calibration-count', session: manager }),
  );
  expect((await listed()).total).toBe(counts.never);
});

const temperatureOf = async (number: string) => {
  const { rows } = await server.pool.query<{ id: number; sensor_id: number; value: number | null }>(
    `select c.id, c.sensor_id, l.value from channel c join device d on d.id = c.device_id
       left join channel_latest l on l.channel_id = c.id
      where d.number = $1 and c.indicator = 'temperature' and c.retired_at is null`,
    [number],
  );
  return rows[0] as { id: number; sensor_id: number; value: number | null };
};
const deviceCall = (method: string, path: string, json: object) =>
  server.call({ method, path: `/api/device/list${path}`, session: manager, json });

describe('certificates and their instruments', () => {
  const MOVED = '60000073';
  let id: number;
  const now = () => clock.now() - 1000;

  beforeAll(async () => {
    await server.provision(manager, [fridge(MOVED)]);
    const { id: at, sensor_id } = await temperatureOf(MOVED);
    const points = [{ channelId: at, reference: 5, reading: 7 }];
    ({ id } = expectDone(await record({ sensorId: sensor_id, ...form({ certificate: 'MOVED', points }) })));
    await send(now(), 7, MOVED);
    expect((await temperatureOf(MOVED)).value).toBe(5);
  });

  test('a certificate still corrects its instrument after the instrument was moved to another channel', async () => {
    expectDone(await deviceCall('POST', '/unbind', { numbers: [MOVED], reason: 'To the other ward' }));
    // Earlier readings belong to the channel on which they were measured.
    clock.offset += 2_000;
    await send(now(), 7, MOVED);
    const channel = await temperatureOf(MOVED);
    expect(channel.value).toBe(5);
    const shown = expectDone(
      await server.call<CalibrationView>({ path: `/api/device/calibration/${id}`, session: manager }),
    );
    expect(shown.points.map((point) => point.channelId)).toEqual([channel.id]);
    expect(shown.sensor.channels.map((each) => each.id)).toContain(channel.id);
  });

  test('a certificate still corrects earlier readings of its instrument after an edit', async () => {
    const { id: _, ...found } = expectDone(
      await server.call<CalibrationView>({ path: `/api/device/calibration/${id}`, session: manager }),
    );
    const { certificate: number, laboratory, calibratedOn, dueOn, appliedFrom, points } = found;
    expectDone(
      await server.call({
        method: 'PUT',
        path: `/api/device/calibration/${id}`,
        session: manager,
        json: {
          certificate: number,
          laboratory,
          calibratedOn,
          dueOn,
          appliedFrom,
          points,
          note: 'By post',
        },
      }),
    );
    const { rows } = await server.pool.query<{ id: number }>(
      `select c.id from channel c join device d on d.id = c.device_id
        where d.number = $1 and c.indicator = 'temperature' order by c.id`,
      [MOVED],
    );
    expect(rows).toHaveLength(2);
    for (const channel of rows)
      expect((await curve(today - DAY_MS, clock.now() + DAY_MS, 800, channel.id)).max).toEqual([5]);
  });

  test('a certificate does not correct an instrument that replaces the calibrated one', async () => {
    const serial = { name: 'Top shelf', serial: 'S-OTHER', disabled: false };
    expectDone(await deviceCall('PUT', `/${MOVED}/sensor/1`, serial));
    clock.offset += 31_000;
    await send(now(), 7, MOVED);
    expect((await temperatureOf(MOVED)).value).toBe(7);
  });
});
