import type { getTrack, listMapMarks } from '@isotherm/contracts/maps';
import type { ResponseOf } from '@isotherm/contracts/route';
import { followedPositions, LEADER_MS } from '@isotherm/domain/geo/followed-device';
import type { Place } from '@isotherm/domain/geo/geo';
import { storableDegrees } from '@isotherm/domain/geo/sealed-track';
import { isTooFast, newestPlace, type TimedPlace } from '@isotherm/domain/geo/track-faults';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { transaction } from '../../platform/db/pool.ts';
import { createLog } from '../../platform/log.ts';
import { expectDone } from '../../testing/people.ts';
import {
  fridge,
  type Session,
  startTestServer,
  TEST_KEY,
  type TestServer,
} from '../../testing/test-server.ts';
import { storePositions } from '../telemetry/live-places.ts';
import { sealClosedDays } from '../telemetry/seal.ts';

/** Tests which position a live map shows, and that the track agrees. */
const MIN = 60_000;
let server: TestServer;
let manager: Session;
let numbers = 73_100_000;
let number: string;
let assetId: number;
const now = Math.floor(Date.now() / MIN) * MIN;

beforeAll(async () => {
  server = await startTestServer();
  manager = await server.logIn('demo.manager');
});
afterAll(() => server.stop());
beforeEach(async () => {
  number = await newDevice();
  assetId = await assetOf(number);
});

async function newDevice(): Promise<string> {
  const made = String(++numbers);
  await server.provision(manager, [fridge(made)]);
  // As if it had been bound long ago, so that positions of the past belong to the asset.
  await server.pool.query(
    `update binding set valid_from = now() - interval '9 days' where valid_until = 'infinity'
        and device_id = (select id from device where number = $1)`,
    [made],
  );
  return made;
}
const assetOf = async (of: string): Promise<number> =>
  (await server.pool.query('select id::int from asset where code = $1', [`F-${of}`])).rows[0].id;
const deviceOf = async (of: string): Promise<number> =>
  (await server.pool.query('select id::int from device where number = $1', [of])).rows[0].id;

type Sent = [minutesAgo: number, latitude: number, longitude?: number];
const send = async (sent: Sent[], from = number) =>
  expect(
    (
      await server.ingest(from, TEST_KEY, {
        positions: sent.map(([minutesAgo, latitude, longitude = 121.4]) => ({
          at: now - minutesAgo * MIN,
          latitude,
          longitude,
        })),
      })
    ).data,
  ).toMatchObject({ rejectedPositions: 0 });
/** Stores positions of a device in a transaction of their own, as the ingest path does; `beforeCommit` runs before its end. */
const store = (
  deviceId: number,
  fixes: readonly TimedPlace[],
  beforeCommit: () => Promise<void> = async () => undefined,
) =>
  transaction(server.pool, async (tx) => {
    const rows = fixes.map((each) => ({
      device_id: deviceId,
      at: each.at,
      latitude: each.latitude,
      longitude: each.longitude,
      speed_kmh: null,
      heading_deg: null,
    }));
    await storePositions(tx, rows, rows, Date.now());
    await beforeCommit();
  });
/** Minutes since the position that the map shows. */
async function shown(of = assetId): Promise<number | null> {
  const { marks } = expectDone(
    await server.call<ResponseOf<typeof listMapMarks>>({ path: '/api/map/mark', session: manager }),
  );
  const at = marks.find(({ id }) => id === of)?.at.measuredAt;
  return at ? (now - Date.parse(at)) / MIN : null;
}
/** Minutes since the last position that the track draws. */
async function drawn(): Promise<number> {
  const track = expectDone(
    await server.call<ResponseOf<typeof getTrack>>({
      path: `/api/map/track/${assetId}`,
      query: { from: new Date(now - 24 * 60 * MIN).toISOString(), to: new Date(now + MIN).toISOString() },
      session: manager,
    }),
  );
  return (now - (track.at.at(-1) as number)) / MIN;
}
const HOME: Sent[] = [
  [60, 31.2],
  [59, 31.201],
  [58, 31.202],
];

describe('the mark on the live map', () => {
  it.each<[string, Sent[][], expected: number]>([
    ['follows the vehicle', [HOME, [[57, 31.203]]], 57],
    ['stays when one position jumps', [HOME, [[57, 45, 9]]], 58],
    ['stays when the last position of a message jumps', [[...HOME, [57, 45, 9]]], 58],
    [
      'moves from the last good position of a message',
      [
        HOME,
        [
          [57, 31.203],
          [56, 45, 9],
        ],
      ],
      57,
    ],
    ['goes on after a jump', [HOME, [[57, 45, 9]], [[56, 31.204]]], 56],
    [
      'stays when positions jump to several places',
      [HOME, [[57, 45, 9]], [[56, -20, 50]], [[55, 10, 10]]],
      58,
    ],
    ['moves to another place that persists', [HOME, [[57, 45, 9]], [[56, 45.001, 9]]], 56],
    [
      'moves to another place that persists in one message',
      [
        HOME,
        [
          [57, 45, 9],
          [56, 45.001, 9],
        ],
      ],
      56,
    ],
    ['goes on from there', [HOME, [[57, 45, 9]], [[56, 45.001, 9]], [[55, 45.002, 9]]], 55],
    ['stays when an older position arrives late', [HOME, [[70, 31.1]]], 58],
    ['stays when an older jump arrives late', [HOME, [[58.5, 45, 9]]], 58],
    ['moves when a late position confirms the other place', [HOME, [[55, 45, 9]], [[56, 45.001, 9]]], 55],
    ['moves as far as a vehicle can go in the time', [HOME, [[10, 32.9]]], 10],
    ['stays when the receiver has no fix', [HOME, [[57, 0, 0]]], 58],
    ['shows the newest of two that disagree', [[[60, 31.2]], [[59, 45, 9]]], 59],
    ['crosses the antimeridian', [[[60, 10, 179.99]], [[59, 10, -179.99]], [[58, 10, -179.98]]], 58],
    ['crosses the pole', [[[60, 89.995, 20]], [[59, 89.995, -160]], [[58, 89.99, -160]]], 58],
  ])('%s', async (_, messages, expected) => {
    for (const message of messages) await send(message);
    expect(await shown()).toBe(expected);
    expect(await drawn()).toBe(expected);
  });

  it('is not moved by a position from the future, and not by one whose clock is known to be ahead', async () => {
    await send(HOME);
    const ahead = { at: Date.now() + 60 * MIN, latitude: 31.3, longitude: 121.4 };
    const refused = await server.ingest(number, TEST_KEY, { positions: [ahead] });
    expect(refused.data).toMatchObject({ rejectedPositions: 1 });
    expect(await shown()).toBe(58);
    // The clock of the device is four minutes ahead, as the send time shows: the position is of now.
    const device = Date.now() + 4 * MIN;
    await server.ingest(number, TEST_KEY, {
      sentAt: device,
      positions: [{ at: device, latitude: 31.25, longitude: 121.4 }],
    });
    const at = now - ((await shown()) as number) * MIN;
    expect(Math.abs(at - Date.now())).toBeLessThan(MIN);
    // With a clock that is right again, the next position is newer, and is shown.
    await server.ingest(number, TEST_KEY, {
      sentAt: Date.now(),
      positions: [{ at: Date.now(), latitude: 31.2501, longitude: 121.4 }],
    });
    expect(now - ((await shown()) as number) * MIN).toBeGreaterThan(at);
  });

  it('stays after a night in which its positions were sealed, when the first position jumps', async () => {
    const day = (minutes: number) => 2 * 24 * 60 + minutes;
    await send([
      [day(10), 31.2],
      [day(9), 31.201],
      [day(8), 31.202],
    ]);
    await sealClosedDays({
      pool: server.pool,
      owner: server.pool,
      clock: { now: Date.now },
      log: createLog('silent', false),
      sealAfterMs: 0,
    });
    expect(await shown()).toBe(day(8));
    // The other side of the earth is too far for two days at any speed of a vehicle on a road.
    await send([[3, -31.2, -58.6]]);
    expect(await shown()).toBe(day(8));
    await send([[2, -31.2, -58.6]]);
    expect(await shown()).toBe(2);
  });

  it('is the newest position that the track draws, whatever arrives in order of time', async () => {
    const deviceId = await deviceOf(number);
    await fc.assert(
      fc.asyncProperty(start, fc.array(step, { minLength: 1, maxLength: 25 }), async (from, steps) => {
        await forget([deviceId]);
        const all = fixesOf(from, steps);
        let sent = 0;
        let last: number | null = null;
        for (const [index, { ends }] of steps.entries()) {
          if (!ends && index < steps.length - 1) continue;
          await store(deviceId, all.slice(sent, index + 1));
          sent = index + 1;
          const place = newestPlace(all.slice(0, sent));
          if (place) last = place.at;
          // Where all positions are jumps, the mark stays.
          if (place) expect(await markAt()).toBe(last);
        }
      }),
      { numRuns: 40 },
    );
  });
});

/** Places where degrees are usual, and where they are not. */
const start = fc.record({
  latitude: fc.constantFrom(-33, 0.01, 31, 60),
  longitude: fc.constantFrom(-179.999, -70, 0, 121, 179.999),
});
const step = fc.record({
  seconds: fc.integer({ min: 1, max: 900 }),
  metres: fc.integer({ min: -6_000, max: 6_000 }),
  fault: fc.constantFrom(null, null, null, null, null, 'jump', 'elsewhere', 'no-fix', 'carried'),
  ends: fc.boolean(),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
const wrap = (longitude: number) => ((((longitude + 180) % 360) + 360) % 360) - 180;

/** The positions of a vehicle that starts at this place. */
function fixesOf(from: Place, steps: readonly Step[]): TimedPlace[] {
  let at = now - 8 * 60 * MIN;
  let { latitude, longitude } = from;
  return steps.map(({ seconds, metres, fault }, index) => {
    at += seconds * 1_000;
    if (fault === 'carried') longitude = wrap(longitude + 3);
    else latitude += metres / 111_195;
    if (fault === 'no-fix') return { at, latitude: 0, longitude: 0 };
    if (fault === 'jump') return { at, latitude: latitude - 20, longitude };
    return fault === 'elsewhere' ? { at, latitude: 75, longitude: index } : { at, latitude, longitude };
  });
}

async function forget(deviceIds: readonly number[]): Promise<void> {
  await server.pool.query('delete from position where device_id = any($1)', [deviceIds]);
  await server.pool.query('delete from asset_position where asset_id = $1', [assetId]);
}
/** Time of the position that the mark shows. */
const markAt = async (): Promise<number | undefined> =>
  (
    await server.pool.query<{ at: number }>(
      'select round(extract(epoch from measured_at) * 1000)::float8 as at from asset_position where asset_id = $1',
      [assetId],
    )
  ).rows[0]?.at;

describe('two devices on one vehicle that disagree', () => {
  let other: string;

  beforeEach(async () => {
    other = await newDevice();
    await server.pool.query(
      `update channel set asset_id = $2 where device_id = (select id from device where number = $1)`,
      [other, assetId],
    );
    await server.pool.query('update device set asset_id = $2 where number = $1', [other, assetId]);
  });
  const track = async (from: number, to: number) => {
    const { at, latitude } = expectDone(
      await server.call<ResponseOf<typeof getTrack>>({
        path: `/api/map/track/${assetId}`,
        query: { from: new Date(now - from * MIN).toISOString(), to: new Date(now - to * MIN).toISOString() },
        session: manager,
      }),
    );
    return at.map((moment, index) => [(now - moment) / MIN, latitude[index]]);
  };

  it('the device with the lower id is drawn, in each range, and the other one after ten minutes of its silence', async () => {
    await send([
      [60, 31.2],
      [58, 31.2],
      [56, 31.2],
    ]);
    await send(
      Array.from({ length: 30 }, (_, n): Sent => [60.5 - n, 31.21]),
      other,
    );
    const expected = [
      [60.5, 31.21],
      [60, 31.2],
      [58, 31.2],
      [56, 31.2],
      ...Array.from({ length: 15 }, (_, n) => [45.5 - n, 31.21]),
    ];
    expect(await track(70, 0)).toEqual(expected);
    const ranges: [number, number][] = [
      [70, 50],
      [57, 40],
      [55, 31],
      [50, 45],
      [46, 0],
    ];
    for (const [from, to] of ranges)
      expect(await track(from, to)).toEqual(expected.filter(([at = 0]) => at <= from && at > to));
    expect(LEADER_MS).toBe(10 * MIN);
  });

  it('a device that was replaced in the middle of the day keeps its part, also if it is the shorter one', async () => {
    await send([
      [100, 31.2],
      [95, 31.21],
      [90, 31.22],
    ]);
    await send(
      Array.from({ length: 60 }, (_, n): Sent => [80 - n, 31.23]),
      other,
    );
    const whole = await track(120, 0);
    expect(whole.slice(0, 3)).toEqual([
      [100, 31.2],
      [95, 31.21],
      [90, 31.22],
    ]);
    expect(whole).toHaveLength(63);
  });

  it('the mark follows the same device as the track', async () => {
    await send([[30, 31.2]]);
    await send([[29, 31.3]], other);
    expect(await shown()).toBe(30);
    await send([[19.5, 31.3]], other);
    expect(await shown()).toBe(19.5);
    expect(await drawn()).toBe(19.5);
    // The first device was late: it sent all the time, and the other one was not to be followed.
    await send([
      [25, 31.2],
      [20, 31.2],
    ]);
    expect(await shown()).toBe(20);
    expect(await drawn()).toBe(20);
    await send([[18, 31.2]]);
    expect(await shown()).toBe(18);
  });

  it.each([
    ['the second device waits for the first one', [0, 1]],
    ['the first device waits for the second one', [1, 0]],
  ])('two processes store positions at the same time: %s', async (_, order) => {
    await send([[30, 31.2]]);
    const sent = [
      { device: await deviceOf(number), at: now - 20 * MIN, latitude: 31.21, longitude: 121.4 },
      // Ten minutes after the place that is shown, but less after the position that the first device sends meanwhile.
      { device: await deviceOf(other), at: now - 19.5 * MIN, latitude: 31.22, longitude: 121.4 },
    ] as const;
    const [one, next] = order.map((index) => sent[index]) as [(typeof sent)[0], (typeof sent)[1]];
    let waiting: Promise<void> | undefined;
    await store(one.device, [one], async () => {
      waiting = store(next.device, [next]);
      await vi.waitFor(async () => {
        const { rows } = await server.pool.query(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like 'with stored as%'`,
        );
        expect(rows).toHaveLength(1);
      });
    });
    await waiting;
    expect(await shown()).toBe(20);
    expect(await drawn()).toBe(20);
  });

  it('the mark is the newest position that the track draws, whichever device arrives first', async () => {
    const deviceIds = [await deviceOf(number), await deviceOf(other)];
    const sending = fc.record({
      by: fc.nat(1),
      arrives: fc.constantFrom('alone', 'with the other', 'later'),
    });
    type Sending = typeof sending extends fc.Arbitrary<infer T> ? T : never;
    // What arrives late may show that an earlier position was a jump. The mark follows with the next position only; so it is not
    // tested with vehicles that are carried or faster than any, with late faults, with two jumps to one place, or with fewer than three positions.
    const steady = (each: Step, fault: Step['fault']): Step => {
      const most = each.seconds * 20;
      return { ...each, metres: Math.max(-most, Math.min(most, each.metres)), fault };
    };
    const steps = fc
      .tuple(fc.tuple(step, step, step), fc.array(fc.tuple(step, sending), { maxLength: 30 }))
      .map(([begun, all]) => [
        ...begun.map((each): [Step, Sending] => [steady(each, null), { by: 0, arrives: 'alone' }]),
        ...all.map(([each, how]): [Step, Sending] => {
          const isFault = how.arrives !== 'later' && (each.fault === 'jump' || each.fault === 'no-fix');
          return [steady(each, isFault ? each.fault : null), how];
        }),
      ])
      .filter((all) => all.filter(([{ fault }]) => fault === 'jump').length < 2);
    await fc.assert(
      fc.asyncProperty(start, steps, async (from, all) => {
        await forget(deviceIds);
        const fixes = fixesOf(
          from,
          all.map(([each]) => each),
        );
        const sent: TimedPlace[][] = [[], []];
        const waiting: TimedPlace[][] = [[], []];
        const arrive = async (device: number) => {
          const batch = (waiting[device] as TimedPlace[]).splice(0);
          if (batch.length === 0) return;
          await store(deviceIds[device] as number, batch);
          sent[device]?.push(...batch);
          const place = newestPlace(
            followedPositions(
              deviceIds.map((deviceId, n) => ({ deviceId, places: sent[n] as TimedPlace[] })),
            ),
          );
          if (place) expect(await markAt()).toBe(place.at);
        };
        for (const [index, [, { by, arrives }]] of all.entries()) {
          waiting[by]?.push(fixes[index] as TimedPlace);
          if (arrives !== 'later') await arrive(by);
          if (arrives === 'with the other') await arrive(1 - by);
        }
        for (const device of [0, 1]) await arrive(device);
      }),
      { numRuns: 60 },
    );
  });

  it('a second device that begins far away moves the mark only when the track goes there', async () => {
    await send(HOME.map(([at, latitude]): Sent => [at - 28, latitude]));
    expect(await shown()).toBe(30);
    // The first of these positions is not followed yet, so that the second one is alone.
    const far = [22, 19.5].map((at): Sent => [at, -20, 9]);
    await send(far, other);
    expect([await shown(), await drawn()]).toEqual([30, 30]);
    await send([[19, -20, 9]], other);
    expect([await shown(), await drawn()]).toEqual([19, 19]);
  });

  it('both in one moment, at any order of arrival', async () => {
    await Promise.all([
      send(
        [
          [30, 31.3],
          [29, 31.3],
        ],
        other,
      ),
      send([
        [31, 31.2],
        [30, 31.2],
      ]),
    ]);
    await Promise.all([send([[28, 31.2]]), send([[27, 31.3]], other)]);
    expect(await shown()).toBe(28);
    expect(await drawn()).toBe(28);
  });
});

it('the distance in the database is never shorter than that of the track', async () => {
  const degrees = {
    latitude: fc.double({ min: -90, max: 90, noNaN: true }),
    longitude: fc.double({ min: -180, max: 180, noNaN: true }),
  };
  const deviceId = await deviceOf(number);
  const near = fc.record({
    north: fc.double({ min: -1, max: 1, noNaN: true }),
    east: fc.double({ min: -2, max: 2, noNaN: true }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.record(degrees),
      near,
      fc.integer({ min: 1, max: 3_600 }),
      async (place, { north, east }, seconds) => {
        const from = {
          at: now - 4_000_000,
          latitude: storableDegrees(place.latitude),
          longitude: storableDegrees(place.longitude),
        };
        const to = {
          at: from.at + seconds * 1_000,
          latitude: storableDegrees(Math.max(-90, Math.min(90, place.latitude + north))),
          longitude: storableDegrees(((place.longitude + east + 540) % 360) - 180),
        };
        if (!isTooFast(from, to) || (from.latitude === 0 && from.longitude === 0)) return;
        await server.pool.query('delete from position where device_id = $1', [deviceId]);
        await server.pool.query('delete from asset_position where asset_id = $1', [assetId]);
        await store(deviceId, [{ ...from, at: from.at - 2 }, { ...from, at: from.at - 1 }, from]);
        await store(deviceId, [to]);
        const { rows } = await server.pool.query('select is_newest from asset_position where asset_id = $1', [
          assetId,
        ]);
        expect(rows).toEqual([{ is_newest: false }]);
      },
    ),
    { numRuns: 60 },
  );
});
