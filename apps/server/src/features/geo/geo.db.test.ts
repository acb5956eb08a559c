import type { getTrack, listMapMarks, listTrackEvents, MapMark } from '@isotherm/contracts/maps';
import type { ResponseOf } from '@isotherm/contracts/route';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import type { Caller } from '../../platform/http/caller.ts';
import { expectDone } from '../../testing/people.ts';
import {
  fridge,
  type Session,
  startTestServer,
  TEST_KEY,
  type TestServer,
} from '../../testing/test-server.ts';
import { createGeoService } from './geo.service.ts';

const MIN = 60_000;
const NUMBERS = ['73000001', '73000002', '73000003'] as const;
let server: TestServer;
let manager: Session;
const now = Math.floor(Date.now() / MIN) * MIN;

beforeAll(async () => {
  server = await startTestServer();
  manager = await server.logIn('demo.manager');
  await server.provision(
    manager,
    NUMBERS.map((number) => fridge(number)),
  );
  // As if they had been bound long ago, so that positions of the past belong to the assets.
  await server.pool.query(
    `update binding set valid_from = now() - interval '40 days' where valid_until = 'infinity'`,
  );
});
afterAll(() => server.stop());

const assetOf = async (number: string): Promise<number> => {
  const { rows } = await server.pool.query<{ id: number }>('select id::int from asset where code = $1', [
    `F-${number}`,
  ]);
  return rows[0]?.id as number;
};
const send = async (number: string, positions: object[]) =>
  expect((await server.ingest(number, TEST_KEY, { positions })).httpStatus).toBe(200);
const position = (minutesAgo: number, latitude: number, longitude = 121.4, speedKmh: number | null = 60) => ({
  at: now - minutesAgo * MIN,
  latitude,
  longitude,
  ...(speedKmh === null ? {} : { speedKmh }),
});
const marks = async (bounds?: string, session = manager) =>
  expectDone(
    await server.call<ResponseOf<typeof listMapMarks>>({
      path: '/api/map/mark',
      query: bounds ? { bounds } : {},
      session,
    }),
  );
const track = (id: number, from: number, to: number, session = manager) =>
  server.call<ResponseOf<typeof getTrack>>({
    path: `/api/map/track/${id}`,
    query: { from: new Date(from).toISOString(), to: new Date(to).toISOString() },
    session,
  });
const ofAsset = (all: readonly MapMark[], id: number) => all.find((mark) => mark.id === id);

test('the mark of an asset is where its device was last, whatever the order of arrival', async () => {
  const id = await assetOf(NUMBERS[0]);
  await send(NUMBERS[0], [position(3, 31.2), position(2, 31.21)]);
  await send(NUMBERS[0], [position(9, 33)]);
  const { marks: all, extent } = await marks();
  expect(ofAsset(all, id)?.at).toEqual({
    latitude: 31.21,
    longitude: 121.4,
    speedKmh: 60,
    headingDeg: null,
    measuredAt: new Date(now - 2 * MIN).toISOString(),
  });
  await send(NUMBERS[0], [position(1, 31.21, 121.42)]);
  expect(ofAsset((await marks()).marks, id)?.at).toMatchObject({ longitude: 121.42, headingDeg: 90 });
  expect(extent?.[1]).toBeLessThanOrEqual(31.21);
});

test('a receiver without a fix does not move its asset', async () => {
  const id = await assetOf(NUMBERS[0]);
  await send(NUMBERS[0], [position(0, 0, 0)]);
  expect(ofAsset((await marks()).marks, id)?.at).toMatchObject({ latitude: 31.21, longitude: 121.42 });
});

test('a region has its own assets only, also across the antimeridian', async () => {
  const [one, other] = [await assetOf(NUMBERS[1]), await assetOf(NUMBERS[2])];
  await send(NUMBERS[1], [position(2, -17, 179.5)]);
  await send(NUMBERS[2], [position(2, -17, -179.5)]);
  const east = await marks('170,-20,180,-10');
  expect(east.marks.map(({ id }) => id)).toEqual([one]);
  expect(east.inView).toBe(1);
  const both = await marks('170,-20,-170,-10');
  expect(both.marks.map(({ id }) => id).sort()).toEqual([one, other].sort());
});

test('positions after the expiry of a device are hidden until it is renewed', async () => {
  const id = await assetOf(NUMBERS[1]);
  const expire = (at: Date | null) =>
    server.pool.query('update device set expires_at = $2 where number = $1', [NUMBERS[1], at]);
  const seen = async () => ({
    mark: ofAsset((await marks()).marks, id) !== undefined,
    fixes: expectDone(await track(id, now - 10 * MIN, now + MIN)).at.length,
  });
  expect(await seen()).toEqual({ mark: true, fixes: 1 });
  await expire(new Date(now - 5 * MIN));
  expect(await seen()).toEqual({ mark: false, fixes: 0 });
  await expire(null);
  expect(await seen()).toEqual({ mark: true, fixes: 1 });
});

describe('in a scope with more assets than are sent one by one', () => {
  /** The numbers of assets up to which each is sent by itself are smaller than usual. */
  const crowded = (region: number) =>
    createGeoService({
      pool: server.pool,
      clock: { now: Date.now },
      audit: { recordAlone: () => Promise.reject(new Error('nothing is recorded')) },
      cardsOf: (ids) =>
        Promise.resolve(
          ids.map((id) => ({
            card: {
              id,
              kind: 'refrigerator',
              name: `Asset ${id}`,
              place: '',
              organizationName: '',
              state: { kind: 'normal' },
            },
          })),
        ) as never,
      limits: { all: 1, region },
    });
  const caller = { scope: '/1/' } as Caller;

  test('a small region has single assets, and a larger one clusters and the worst', async () => {
    const ids = [await assetOf(NUMBERS[1]), await assetOf(NUMBERS[2])];
    const bounds = [170, -20, -170, -10] as const;
    const single = await crowded(2).marks(caller, { bounds });
    expect([single.marks.map(({ id }) => id).sort(), single.clusters]).toEqual([ids.sort(), []]);

    const alarm = `insert into alarm (channel_id, rule_id, asset_id, organization_id, kind, subject, level, peak_level, state, since,
                                      raised_at, limit_value, recovery_margin, trigger_after_ms, value, peak_value, peak_at, late, recorded_at)
                   select c.id, 0, d.asset_id, d.organization_id, 'high', 'channel', $2, $2, 'active', now(), now(), 8, 0.5, 0, 9, 10, now(), false, now()
                     from channel c join device d on d.id = c.device_id where d.number = $1 and c.indicator = 'temperature' returning id`;
    await server.pool.query(alarm, [NUMBERS[2], 3]);
    const many = await crowded(1).marks(caller, { bounds });
    expect(many.inView).toBe(2);
    expect(many.clusters.reduce((total, { count }) => total + count, 0)).toBe(2);
    expect(many.clusters.map(({ level }) => level).sort()).toEqual([0, 3]);
    expect(many.marks.map(({ id }) => id)).toEqual([await assetOf(NUMBERS[2])]);
    expect(many.marks[0]?.at).toMatchObject({ latitude: -17, longitude: -179.5 });
    const elsewhere = await crowded(0).marks(caller, { bounds: [170, -20, 180, -10] });
    expect(elsewhere.marks).toEqual([]);
    await server.pool.query('delete from alarm where rule_id = 0');
  });

  test('a search finds assets in any region, in the scope only', async () => {
    const id = await assetOf(NUMBERS[1]);
    const bounds = [0, 0, 1, 1] as const;
    const search = NUMBERS[1];
    expect((await crowded(1).marks(caller, { bounds, search })).marks.map((mark) => mark.id)).toEqual([id]);
    expect((await crowded(1).marks(caller, { bounds, search: '73000009%' })).marks).toEqual([]);
    const other = { scope: '/999/' } as Caller;
    expect((await crowded(-1).marks(other, { bounds, search })).marks).toEqual([]);
  });
});

test.each(['1,2,3', '0,40,10,30', '0,-91,10,10', '181,0,190,10', 'a,b,c,d'])(
  'a region that is none is refused: %s',
  async (bounds) => {
    const answer = await server.call({ path: '/api/map/mark', query: { bounds }, session: manager });
    expect(answer.status).toBe('request.invalid');
  },
);

it('other organisations see neither mark nor track', async () => {
  const id = await assetOf(NUMBERS[0]);
  await server.pool.query(
    `update asset set organization_id = (select id from organization where path = '/1/') where id = $1`,
    [id],
  );
  expect(ofAsset((await marks()).marks, id)).toBeUndefined();
  expect((await track(id, now - 60 * MIN, now)).status).toBe('asset.not_found');
  await server.pool.query(
    `update asset set organization_id = (select id from organization where code = 'DEMO-HOSPITAL') where id = $1`,
    [id],
  );
});

test('a track has the positions of the range in order, and of the time in which the device was bound', async () => {
  const id = await assetOf(NUMBERS[1]);
  await send(NUMBERS[1], [position(30, 31.3), position(20, 31.4), position(10, 31.5)]);
  const whole = expectDone(await track(id, now - 60 * MIN, now - 5 * MIN));
  expect(whole).toMatchObject({ place: [0, 1, 2], toleranceM: 0, faulty: 0 });
  expect(whole.latitude).toEqual([31.3, 31.4, 31.5]);
  expect(whole.at).toEqual([30, 20, 10].map((minutes) => now - minutes * MIN));

  // From 15 minutes ago on, the device was bound to another asset.
  const client = await server.pool.connect();
  try {
    await client.query('begin');
    await client.query(
      `update binding set valid_until = $2 where device_id = (select id from device where number = $1)`,
      [NUMBERS[1], new Date(now - 15 * MIN)],
    );
    await client.query('commit');
  } finally {
    client.release();
  }
  expect(expectDone(await track(id, now - 60 * MIN, now - 5 * MIN)).latitude).toEqual([31.3, 31.4]);
});

test('a range that is empty or too long is refused', async () => {
  const id = await assetOf(NUMBERS[0]);
  expect((await track(id, now, now)).status).toBe('curve.range');
  expect((await track(id, now - 32 * 24 * 60 * MIN, now)).status).toBe('curve.range');
});

test('a track is exported without jumps, and the export is in the log', async () => {
  const id = await assetOf(NUMBERS[2]);
  await send(NUMBERS[2], [position(30, 31.3), position(29, 31.31), position(28, 48, 2), position(27, 31.32)]);
  const text = expectDone(
    await server.call<string>({
      method: 'POST',
      path: `/api/map/track/${id}/export`,
      json: {
        from: new Date(now - 60 * MIN).toISOString(),
        to: new Date(now - 20 * MIN).toISOString(),
        format: 'geojson',
      },
      session: manager,
    }),
  );
  const { features } = JSON.parse(text);
  expect(features[0].geometry.coordinates).toEqual([
    [121.4, 31.3],
    [121.4, 31.31],
    [121.4, 31.32],
  ]);
  const { rows } = await server.pool.query(
    `select after from audit_entry where object_kind = 'track' and object_id = $1`,
    [String(id)],
  );
  expect(rows).toMatchObject([{ after: { format: 'geojson' } }]);
});

test('the tracks of several assets are exported as one file, and logged for each', async () => {
  const [one, other] = [await assetOf(NUMBERS[0]), await assetOf(NUMBERS[2])];
  await send(NUMBERS[0], [position(32, 31.1), position(31, 31.11)]);
  const exported = (assetIds: number[], session = manager) =>
    server.call<string>({
      method: 'POST',
      path: '/api/map/track/export',
      json: {
        assetIds,
        from: new Date(now - 60 * MIN).toISOString(),
        to: new Date(now - 20 * MIN).toISOString(),
        format: 'csv',
      },
      session,
    });
  const count = async () =>
    (await server.pool.query(`select count(*)::int as n from audit_entry where object_kind = 'track'`))
      .rows[0].n;
  const before = await count();
  const rows = expectDone(await exported([one, other, one]))
    .trim()
    .split('\r\n');
  expect(rows[0]).toBe('time,latitude,longitude,speed_kmh,line,asset');
  expect(rows.slice(1).map((row) => row.split(',').at(-1))).toEqual([
    ...Array.from({ length: 2 }, () => `Fridge ${NUMBERS[0]}`),
    ...Array.from({ length: 3 }, () => `Fridge ${NUMBERS[2]}`),
  ]);
  expect(await count()).toBe(before + 2);
  expect((await exported([one, 999_999])).status).toBe('asset.not_found');
  expect((await exported([])).status).toBe('request.invalid');
  expect((await exported([1, 2, 3, 4, 5])).status).toBe('request.invalid');
  expect(await count()).toBe(before + 2);
});

test('a track tells trips, stops and times above the limit, the same in each range', async () => {
  const id = await assetOf(NUMBERS[2]);
  const from = 24 * 60;
  const fast = (minute: number) => minute >= 30 && minute < 34;
  const sent: object[] = [];
  for (let [minute, latitude] = [0, 30]; minute < 60; minute++) {
    const moves = minute >= 10 && minute < 50;
    if (moves) latitude += fast(minute) ? 0.018 : 0.01;
    sent.push(position(from - minute, latitude, 121.4, moves ? (fast(minute) ? 120 : 67) : 0));
  }
  await send(NUMBERS[2], sent);
  const told = async (begin: number, end: number, speedLimitKmh?: number) => {
    const track = expectDone(
      await server.call<ResponseOf<typeof getTrack>>({
        path: `/api/map/track/${id}`,
        query: {
          from: new Date(now - (from - begin) * MIN).toISOString(),
          to: new Date(now - (from - end) * MIN).toISOString(),
          ...(speedLimitKmh === undefined ? {} : { speedLimitKmh: String(speedLimitKmh) }),
        },
        session: manager,
      }),
    );
    const minute = (at: number) => (at - now) / MIN + from;
    return {
      limit: track.speedLimitKmh,
      stops: track.stops.map(({ from: begin, to }) => [minute(begin), minute(to)]),
      trips: track.trips.map(({ from: begin, to, maxSpeedKmh }) => [minute(begin), minute(to), maxSpeedKmh]),
      speedings: track.speedings.map(({ from: begin, to, maxSpeedKmh }) => [
        minute(begin),
        minute(to),
        maxSpeedKmh,
      ]),
    };
  };
  const whole = await told(-10, 70);
  expect(whole).toEqual({
    limit: 100,
    stops: [
      [0, 9],
      [49, 59],
    ],
    trips: [[9, 49, 120]],
    speedings: [[30, 33, 120]],
  });
  const ranges: [number, number][] = [
    [2, 58],
    [4, 55],
    [-60, 57],
    [1, 240],
  ];
  for (const [begin, end] of ranges) {
    const part = await told(begin, end);
    expect([part.trips, part.speedings]).toEqual([whole.trips, whole.speedings]);
  }
  expect(await told(-10, 70, 130)).toMatchObject({ limit: 130, speedings: [] });
  expect((await told(-10, 70, 60)).speedings).toEqual([[10, 49, 120]]);
});

test('door openings and excursions are told with or without an alarm, in the scope only', async () => {
  const number = NUMBERS[2];
  const id = await assetOf(number);
  const reading = (channel: string, minutesAgo: number, value: number) => ({
    channel,
    at: now - minutesAgo * MIN,
    value,
  });
  const minutes = Array.from({ length: 30 }, (_, n) => 40 - n);
  await server.ingest(number, TEST_KEY, {
    readings: [
      ...minutes.map((minute) => reading('temperature-1', minute, minute <= 30 && minute > 20 ? 9 : 4)),
      ...minutes.map((minute) =>
        reading('door-1', minute, minute === 25 || minute === 24 || minute < 13 ? 1 : 0),
      ),
    ],
  });
  const told = async (from: number, to: number, session = manager) => {
    const answer = await server.call<ResponseOf<typeof listTrackEvents>>({
      path: `/api/map/track/${id}/event`,
      query: { from: new Date(now - from * MIN).toISOString(), to: new Date(now - to * MIN).toISOString() },
      session,
    });
    return answer.status === '1' ? answer.data : answer.status;
  };
  const ago = (at: number | null) => (at === null ? null : (now - at) / MIN);
  const inMinutes = async (from: number, to: number) => {
    const events = (await told(from, to)) as ResponseOf<typeof listTrackEvents>;
    return {
      doors: events.doors.map((door) => [ago(door.from), ago(door.to)]),
      excursions: events.excursions.map((each) => [
        ago(each.from),
        ago(each.to),
        each.side,
        each.limit,
        each.peak,
      ]),
    };
  };
  expect(await inMinutes(50, 10)).toEqual({
    doors: [
      [25, 23],
      [12, null],
    ],
    excursions: [[30, 20, 'above', 8, 9]],
  });
  expect(await inMinutes(28, 24.5)).toEqual({
    doors: [[25, null]],
    excursions: [[28, null, 'above', 8, 9]],
  });
  expect(await inMinutes(23, 21)).toEqual({ doors: [], excursions: [[23, null, 'above', 8, 9]] });
  expect(((await told(50, 10)) as ResponseOf<typeof listTrackEvents>).total).toBe(3);
  expect(await told(10, 50)).toBe('curve.range');
  await server.pool.query(
    `update asset set organization_id = (select id from organization where path = '/1/') where id = $1`,
    [id],
  );
  expect(await told(50, 10)).toBe('asset.not_found');
});

test('an on/off channel is no excursion, and only a door is a door, whatever rules they have', async () => {
  const number = '73000004';
  const plain = fridge(number);
  const low = {
    kind: 'low' as const,
    level: 3 as const,
    limit: 0.5,
    recoveryMargin: 0,
    triggerAfterMs: 60_000,
  };
  const high = { ...low, kind: 'high' as const };
  await server.provision(manager, [
    {
      ...plain,
      sensors: [
        ...plain.sensors,
        {
          index: 2,
          serial: `P-${number}`,
          name: 'Unit',
          channels: [
            { indicator: 'door', name: 'Rear door', rules: [high] },
            { indicator: 'power', name: 'Mains power', rules: [low] },
          ],
        },
      ],
    },
  ]);
  await server.pool.query(
    `update binding set valid_from = now() - interval '40 days' where valid_until = 'infinity'
        and device_id = (select id from device where number = $1)`,
    [number],
  );
  const reading = (channel: string, minutesAgo: number, value: number) => ({
    channel,
    at: now - minutesAgo * MIN,
    value,
  });
  await server.ingest(number, TEST_KEY, {
    readings: Array.from({ length: 10 }, (_, n) => 40 - n).flatMap((minute) => [
      reading('door-2', minute, minute === 35 ? 1 : 0),
      reading('power-2', minute, minute === 33 ? 0 : 1),
      reading('temperature-1', minute, minute === 37 ? 8 : 4),
    ]),
  });
  const told = async () => {
    const { doors, excursions } = expectDone(
      await server.call<ResponseOf<typeof listTrackEvents>>({
        path: `/api/map/track/${await assetOf(number)}/event`,
        query: { from: new Date(now - 50 * MIN).toISOString(), to: new Date(now - 20 * MIN).toISOString() },
        session: manager,
      }),
    );
    return [doors.map(({ name }) => name), excursions.map(({ name }) => name)];
  };
  // A value equal to the limit is inside, unless the rule says otherwise.
  expect(await told()).toEqual([['Rear door'], []]);
  await server.pool.query(
    `update alarm_rule set limit_is_outside = true where kind = 'high' and channel_id in (
       select c.id from channel c join device d on d.id = c.device_id where d.number = $1 and c.indicator = 'temperature')`,
    [number],
  );
  expect(await told()).toEqual([['Rear door'], ['Air, top shelf']]);
});

test('a channel that falls silent ends its door opening or excursion after the time that a reading counts', async () => {
  const number = NUMBERS[1];
  const id = await assetOf(number);
  const reading = (channel: string, minutesAgo: number, value: number) => ({
    channel,
    at: now - minutesAgo * MIN,
    value,
  });
  await server.ingest(number, TEST_KEY, {
    readings: [
      ...[100, 99, 98].flatMap((minute) => [
        reading('door-1', minute, 1),
        reading('temperature-1', minute, 9),
      ]),
      ...[70, 69].flatMap((minute) => [reading('door-1', minute, 1), reading('temperature-1', minute, 4)]),
    ],
  });
  const { doors, excursions } = expectDone(
    await server.call<ResponseOf<typeof listTrackEvents>>({
      path: `/api/map/track/${id}/event`,
      query: { from: new Date(now - 120 * MIN).toISOString(), to: new Date(now - 50 * MIN).toISOString() },
      session: manager,
    }),
  );
  const ago = (span: { from: number; to: number | null }) => [
    (now - span.from) / MIN,
    span.to === null ? null : (now - span.to) / MIN,
  ];
  // A reading counts for five minutes, with an interval of one minute.
  expect(doors.map(ago)).toEqual([
    [100, 93],
    [70, 64],
  ]);
  expect(excursions.map(ago)).toEqual([[100, 93]]);
});
