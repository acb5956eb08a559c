import { read, utils } from '@e965/xlsx';
import { DAY_MS } from '@isotherm/domain/readings/sealed-day';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clockIn } from '../../platform/local-time.ts';
import { lastClockChange } from '../../testing/clock-change.ts';
import {
  fridge,
  type Session,
  startTestServer,
  TEST_KEY,
  type TestServer,
} from '../../testing/test-server.ts';

const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
let server: TestServer;
let auditor: Session;
let channels: number[];

beforeAll(async () => {
  server = await startTestServer();
  const manager = await server.logIn('demo.manager');
  const odd = fridge('60000021');
  odd.asset.name = '=cmd, "cold"';
  await server.provision(manager, [odd, fridge('60000022')]);
  for (const [number, value] of [
    ['60000021', -0.5],
    ['60000022', 6.25],
  ] as const)
    await server.ingest(number, TEST_KEY, {
      readings: [0, 60_000, 120_250].map((ms, i) => ({
        channel: 'temperature-1',
        at: today - 2 * DAY_MS + ms,
        value: value + i,
      })),
    });
  const { rows } = await server.pool.query<{ id: number }>(
    `select c.id from channel c join device d on d.id = c.device_id
      where d.number in ('60000021', '60000022') and c.indicator = 'temperature' order by d.number`,
  );
  channels = rows.map((row) => row.id);
  auditor = await server.logIn('demo.auditor');
});
afterAll(() => server.stop());

const asked = (over: object = {}) => ({
  channels,
  zone: 'Asia/Kathmandu',
  format: 'csv',
  from: new Date(today - 3 * DAY_MS).toISOString(),
  to: new Date(today).toISOString(),
  ...over,
});
const PATH = '/api/telemetry/export';

async function exported(json: object): Promise<string> {
  const answer = await server.call<string>({ method: 'POST', path: PATH, json, session: auditor });
  expect(answer.status).toBe('1');
  return answer.data;
}

/** Creates an API key that may export readings. */
async function readingsKey(name: string): Promise<{ secret: string }> {
  const organization = await server.pool.query<{ id: number }>(
    `select id from organization where code = 'DEMO'`,
  );
  const { data } = await server.call<{ secret: string }>({
    method: 'POST',
    path: '/api/authorization',
    json: {
      name,
      organizationId: organization.rows[0]?.id,
      permissions: ['monitor-records:export'],
      kind: 'key',
    },
    session: await server.logIn('demo.platform'),
  });
  return data;
}

test('the exported file contains every reading, in local time of the zone, and no formulas', async () => {
  const day = new Date(today - 2 * DAY_MS).toISOString().slice(0, 10);
  expect((await exported(asked())).split('\r\n')).toEqual([
    'Time,Value,Unit,Indicator,Channel,Device,Asset code,Asset',
    `${day}T05:45:00+05:45,-0.5,°C,Temperature,"Air, top shelf",60000021,F-60000021,"'=cmd, ""cold"""`,
    `${day}T05:46:00+05:45,0.5,°C,Temperature,"Air, top shelf",60000021,F-60000021,"'=cmd, ""cold"""`,
    `${day}T05:47:00.250+05:45,1.5,°C,Temperature,"Air, top shelf",60000021,F-60000021,"'=cmd, ""cold"""`,
    `${day}T05:45:00+05:45,6.25,°C,Temperature,"Air, top shelf",60000022,F-60000022,Fridge 60000022`,
    `${day}T05:46:00+05:45,7.25,°C,Temperature,"Air, top shelf",60000022,F-60000022,Fridge 60000022`,
    `${day}T05:47:00.250+05:45,8.25,°C,Temperature,"Air, top shelf",60000022,F-60000022,Fridge 60000022`,
    '',
  ]);
});

test('the name of the exported file contains the first and the last day in the chosen time zone', async () => {
  // Midnight in Kathmandu is 18:15 UTC of the day before.
  const midnight = today - 5.75 * 3_600_000;
  const { secret } = await readingsKey('File names');
  const response = await fetch(`${server.url}${PATH}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(
      asked({
        from: new Date(midnight - 2 * DAY_MS).toISOString(),
        to: new Date(midnight).toISOString(),
      }),
    ),
  });
  await response.arrayBuffer();
  const dayBefore = (days: number) => new Date(today - days * DAY_MS).toISOString().slice(0, 10);
  expect(response.headers.get('content-disposition')).toBe(
    `attachment; filename="readings-${dayBefore(2)}-${dayBefore(1)}.csv"`,
  );
});

test('an API key can export a workbook with a sheet per channel', async () => {
  const { secret } = await readingsKey('Archive');
  const response = await fetch(`${server.url}${PATH}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(asked({ format: 'xlsx' })),
  });
  expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="readings-.*\.xlsx"$/);
  const book = read(Buffer.from(await response.arrayBuffer()), { type: 'buffer' });
  expect(book.SheetNames).toEqual(['60000021 Air, top shelf', '60000022 Air, top shelf']);
  const rows = utils.sheet_to_csv(book.Sheets['60000022 Air, top shelf'] as never).split('\n');
  expect(rows.slice(0, 2)).toEqual([
    'Time (Asia/Kathmandu),Temperature (°C),F-60000022 Fridge 60000022',
    `${new Date(today - 2 * DAY_MS).toISOString().slice(0, 10)} 05:45:00,6.25,`,
  ]);
});

test('a workbook across a change of the clock has a column with the UTC offset', async () => {
  const zone = 'Europe/Madrid';
  const { at, shiftMs } = lastClockChange(zone, 'back', Date.now() - DAY_MS);
  const moments = [at - shiftMs / 2, at + shiftMs / 2];
  await server.ingest('60000022', TEST_KEY, {
    readings: moments.map((moment, index) => ({ channel: 'temperature-1', at: moment, value: 4 + index })),
  });
  const [from, to] = [at - shiftMs, at + shiftMs].map((moment) => new Date(moment).toISOString());
  const { secret } = await readingsKey('Clock');
  const response = await fetch(`${server.url}${PATH}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(asked({ format: 'xlsx', zone, from, to })),
  });
  const book = read(Buffer.from(await response.arrayBuffer()), { type: 'buffer' });
  const rows = utils.sheet_to_csv(book.Sheets['60000022 Air, top shelf'] as never).split('\n');
  expect(rows[0]).toBe('Time (Europe/Madrid),UTC offset,Temperature (°C),F-60000022 Fridge 60000022');
  const local = moments.map((moment) => clockIn(zone)(new Date(moment)));
  expect(rows.slice(1, 3)).toEqual(
    local.map((time, index) => `${time.slice(0, 19).replace('T', ' ')},${time.slice(19)},${4 + index},`),
  );
});

test('an export is logged, and an export of more than three months is refused', async () => {
  await exported(asked());
  const { rows } = await server.pool.query(
    `select after from audit_entry where object_kind = 'reading' and action = 'export' order by seq desc limit 1`,
  );
  expect(rows[0].after).toMatchObject({ format: 'csv', channels });
  const answer = await server.call({
    method: 'POST',
    path: PATH,
    session: auditor,
    json: asked({ from: new Date(today - 93 * DAY_MS).toISOString() }),
  });
  expect(answer.status).toBe('curve.range');
});

test('a user can run three exports at a time, and other users do not wait for them', async () => {
  // Each call has different parameters, because a repeated call is refused as a replay.
  const begin = (n: number, session = auditor) =>
    server.call<string>({
      method: 'POST',
      path: PATH,
      session,
      json: asked({ to: new Date(today - n).toISOString() }),
      headers: { 'x-language': 'es' },
    });
  const slow = await server.pool.connect();
  const waiting = async () => {
    const { rows } = await server.pool.query<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and application_name = 'isotherm-web'`,
    );
    return rows[0]?.count;
  };
  await slow.query('begin');
  let first: ReturnType<typeof begin>[] = [];
  try {
    await slow.query('lock table reading in access exclusive mode');
    first = [begin(1), begin(2), begin(3)];
    // Two portions are created at once; a third database connection stays available for others.
    await expect.poll(waiting).toBe(2);
    expect(await begin(4)).toMatchObject({
      httpStatus: 429,
      status: 'export.busy',
      message: 'Hay demasiadas exportaciones en curso. Inténtelo de nuevo en un minuto.',
    });
    first.push(begin(1, await server.logIn('demo.manager')));
    await expect.poll(waiting).toBe(3);
  } finally {
    await slow.query('rollback');
    slow.release();
  }
  for (const answer of await Promise.all(first)) expect(answer.status).toBe('1');
  expect((await begin(5)).status).toBe('1');
});
