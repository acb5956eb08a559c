import type { BatchResult } from '@isotherm/contracts/batches';
import type { listDeviceBindings } from '@isotherm/contracts/device-registry';
import type { ResponseOf } from '@isotherm/contracts/route';
import type { getCurve } from '@isotherm/contracts/telemetry';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { transaction } from '../../../platform/db/pool.ts';
import { type Asking, asking } from '../../../testing/asking.ts';
import {
  fridge,
  type Session,
  startTestServer,
  TEST_KEY,
  type TestServer,
} from '../../../testing/test-server.ts';
import { lockLanes } from '../../telemetry/index.ts';

const MIN = 60_000;
let server: TestServer;
/** Another process on the same database, with its own caches. */
let other: TestServer;
let manager: Session;
let asked: Asking;
const BEGIN = Date.now();
/** It advances only where a test says so: what belongs to which binding must not depend on the speed of the machine. */
const clock = { offset: 0, now: () => BEGIN + clock.offset };
let numbers = 49_000_000;

beforeAll(async () => {
  server = await startTestServer({ clock });
  other = await startTestServer({ clock, databaseUrl: server.databaseUrl });
  await logIn();
});
afterAll(async () => {
  await other.stop();
  await server.stop();
});

async function logIn(): Promise<void> {
  manager = await server.logIn('demo.manager');
  asked = asking(server, manager);
}

/** Creates devices that are each bound to an asset of their own. */
async function newDevices(count: number): Promise<string[]> {
  const made = Array.from({ length: count }, () => String(++numbers));
  await server.provision(
    manager,
    made.map((number) => fridge(number)),
  );
  return made;
}
const post = (action: string, json: object) =>
  asked.ask<BatchResult>({ method: 'POST', path: `/api/device/list${action}`, json });
const unbind = (number: string) => post('/unbind', { numbers: [number], reason: 'Moved' });
const bind = async (number: string, place: string) =>
  post('/bind', { bonds: [{ number, assetId: await assetOf(place) }] });
const replace = (number: string, next: string) => post(`/${number}/replace`, { by: next, reason: 'Broken' });

/** Returns the id of the asset that a device was created with. */
async function assetOf(number: string): Promise<number> {
  const { rows } = await server.pool.query<{ id: number }>('select id from asset where code = $1', [
    `F-${number}`,
  ]);
  return Number(rows[0]?.id);
}

async function send(
  number: string,
  readings: readonly [at: number, value: number][],
  through = server,
): Promise<void> {
  const answer = await through.ingest(number, TEST_KEY, {
    // Without it, messages that are equally old again and again would look like a clock that is behind.
    sentAt: clock.now(),
    readings: readings.map(([at, value]) => ({ channel: 'temperature-1', at, value })),
  });
  expect(answer.data).toMatchObject({ accepted: readings.length, rejected: [] });
}

/** Returns the channel of each stored value, and the device number of its asset; null for none. */
async function placesOf(
  values: readonly number[],
): Promise<Map<number, { channelId: number; place: string | null }>> {
  const { rows } = await server.pool.query<{ channel_id: number; code: string | null; value: number }>(
    `select r.channel_id, a.code, r.value from reading r join channel c on c.id = r.channel_id
       left join asset a on a.id = c.asset_id where r.value = any($1::real[])`,
    [values],
  );
  expect(rows).toHaveLength(values.length);
  return new Map(
    rows.map((row) => [row.value, { channelId: row.channel_id, place: row.code?.slice(2) ?? null }]),
  );
}

describe('assignment of readings to the channel that was bound at the time of measurement', () => {
  it('buffered readings of a moved device belong to the asset where they were measured', async () => {
    const [device, elsewhere] = (await newDevices(2)) as [string, string];
    const start = clock.now();
    await send(device, [[start, 4.001]]);
    clock.offset += 10 * MIN;
    await unbind(device);
    clock.offset += 10 * MIN;
    await bind(device, elsewhere);
    clock.offset += 10 * MIN;
    await send(device, [
      [start + 25 * MIN, 4.004],
      [start + 15 * MIN, 4.003],
      [start + 5 * MIN, 4.002],
      [start - 30 * 24 * 60 * MIN, 4.005],
    ]);
    const places = await placesOf([4.001, 4.002, 4.003, 4.004, 4.005]);
    expect([...places].sort().map(([value, { place }]) => [value, place])).toEqual([
      [4.001, device],
      [4.002, device],
      [4.003, null],
      [4.004, elsewhere],
      [4.005, device],
    ]);
  });

  it('readings of a replaced device, buffered before or measured after the replacement, belong to the channel of their time', async () => {
    const [device, next] = (await newDevices(2)) as [string, string];
    const start = clock.now();
    await unbind(next);
    await send(device, [[start, 4.101]]);
    clock.offset += 10 * MIN;
    await replace(device, next);
    clock.offset += 10 * MIN;
    await send(next, [[start + 15 * MIN, 4.104]]);
    await send(device, [
      [start + 5 * MIN, 4.102],
      [start + 16 * MIN, 4.103],
    ]);
    const places = await placesOf([4.101, 4.102, 4.103, 4.104]);
    expect(places.get(4.103)?.place).toBeNull();
    const point = { channelId: places.get(4.101)?.channelId, place: device };
    for (const value of [4.101, 4.102, 4.104]) expect(places.get(value)).toEqual(point);
  });

  it('a message that was received before the device was bound to another asset, and stored after it, belongs to the first asset', async () => {
    const [device] = (await newDevices(1)) as [string];
    await send(device, [[clock.now(), 4.201]]);
    const { rows } = await server.pool.query<{ id: number }>('select id from device where number = $1', [
      device,
    ]);
    const waiting = (count: number) =>
      expect
        .poll(async () => {
          const locks = await server.pool.query(
            `select 1 from pg_locks where locktype = 'advisory' and not granted
                and database = (select oid from pg_database where datname = current_database())`,
          );
          return locks.rows.length;
        })
        .toBe(count);
    const after: Promise<unknown>[] = [];
    await transaction(server.pool, async (tx) => {
      await lockLanes(tx, [Number(rows[0]?.id)]);
      after.push(unbind(device));
      await waiting(1);
      after.push(send(device, [[clock.now() + 2 * MIN, 4.202]]));
      await waiting(2);
    });
    await Promise.all(after);
    const places = await placesOf([4.201, 4.202]);
    expect(places.get(4.201)?.place).toBe(device);
    expect(places.get(4.202)?.place).toBeNull();
  });
});

describe('readings before, between and after bindings', () => {
  it('each reading is evaluated by the rules of the channel that it belongs to', async () => {
    const [device, elsewhere] = (await newDevices(2)) as [string, string];
    const start = clock.now();
    await send(device, [[start, 4]]);
    clock.offset += 10 * MIN;
    await unbind(device);
    clock.offset += 10 * MIN;
    await bind(device, elsewhere);
    clock.offset += 10 * MIN;
    // These values are above the limit of the first asset (8 °C, with a trigger delay of one minute). The
    // other channels have no limit.
    const above = [3, 4, 5, 13, 14, 15, 23, 24, 25].map((minute): [number, number] => [
      start + minute * MIN,
      12.301 + minute / 1000,
    ]);
    await send(device, above);
    const { rows } = await server.pool.query<{ code: string | null; late: boolean; since: Date }>(
      `select a.code, m.late, m.since from alarm m join channel c on c.id = m.channel_id left join asset a on a.id = c.asset_id
         join device d on d.id = c.device_id where d.number = $1`,
      [device],
    );
    expect(rows).toEqual([{ code: `F-${device}`, late: true, since: new Date(start + 3 * MIN) }]);
  });

  it('the device page lists where the device measured, and the readings of its own channel can be viewed there', async () => {
    const [device, elsewhere] = (await newDevices(2)) as [string, string];
    const start = clock.now();
    clock.offset += 10 * MIN;
    await unbind(device);
    clock.offset += 10 * MIN;
    await bind(device, elsewhere);
    clock.offset += 10 * MIN;
    await send(device, [[start + 15 * MIN, 4.401]]);
    const path = `/api/device/list/${device}/binding`;
    const listed = await asked.ask<ResponseOf<typeof listDeviceBindings>>({ path });
    const places = listed.filter(({ indicator }) => indicator === 'temperature');
    expect(places.map(({ asset }) => asset?.code ?? null)).toEqual([`F-${elsewhere}`, null, `F-${device}`]);
    expect(places.map(({ from, until }) => [from === null, until === null])).toEqual([
      [false, true],
      [false, false],
      [true, false],
    ]);
    expect(places[1]?.until).toBe(places[0]?.from);
    const curve = await asked.ask<ResponseOf<typeof getCurve>>({
      path: '/api/telemetry/curve',
      query: {
        channels: String(places[1]?.channelId),
        from: new Date(start).toISOString(),
        to: new Date(clock.now()).toISOString(),
      },
    });
    expect(curve.series[0]).toMatchObject({ at: [start + 15 * MIN], mean: [4.401] });
  });

  it('a device that was moved from A to B and back has three binding periods', async () => {
    const [device, elsewhere] = (await newDevices(2)) as [string, string];
    const start = clock.now();
    const move = async (place: string) => {
      clock.offset += 10 * MIN;
      await unbind(device);
      await bind(device, place);
    };
    await move(elsewhere);
    await move(device);
    clock.offset += 10 * MIN;
    await send(device, [
      [start + 25 * MIN, 4.503],
      [start + 5 * MIN, 4.501],
      [start + 15 * MIN, 4.502],
    ]);
    const places = await placesOf([4.501, 4.502, 4.503]);
    expect([...places].sort().map(([value, { place }]) => [value, place])).toEqual([
      [4.501, device],
      [4.502, elsewhere],
      [4.503, device],
    ]);
    expect(places.get(4.501)?.channelId).not.toBe(places.get(4.503)?.channelId);
  });
});

/** Events of three devices; in `send`, the number is the age of a reading in minutes. */
type Event =
  | { kind: 'bind'; device: number; place: number }
  | { kind: 'unbind'; device: number }
  | { kind: 'replace'; device: number; next: number }
  | { kind: 'send'; device: number; ages: number[]; elsewhere: boolean };

const which = fc.integer({ min: 0, max: 2 });
const event: fc.Arbitrary<Event> = fc.oneof(
  fc.record({ kind: fc.constant('bind' as const), device: which, place: which }),
  fc.record({ kind: fc.constant('unbind' as const), device: which }),
  fc.record({ kind: fc.constant('replace' as const), device: which, next: which }),
  fc.record({
    kind: fc.constant('send' as const),
    device: which,
    ages: fc.array(fc.integer({ min: 0, max: 90 }), { minLength: 1, maxLength: 8 }),
    // Whether the message is sent through the process that did not change the bindings and is only notified
    // of the change.
    elsewhere: fc.boolean(),
  }),
);

let values = 0;

test('with any sequence of bindings and any order of arrival, each reading belongs to the asset to which its device was bound at that time', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 3, maxLength: 14 }), async (events) => {
      // The test clock has advanced by more than the lifetime of a session.
      await logIn();
      const devices = await newDevices(3);
      /**
       * The measuring places of each device with the time from which it measured there. A measuring place is
       * an asset and a unique number.
       */
      let points = 0;
      const histories = devices.map((place) => [
        { from: Number.NEGATIVE_INFINITY, place: place as string | null, point: points++ },
      ]);
      const now = (device: number) => histories[device]?.at(-1) as { place: string | null; point: number };
      const taken = new Set<number>();
      const sent: { value: number; device: number; at: number }[] = [];
      for (const each of events) {
        clock.offset += 5 * MIN;
        const number = devices[each.device] as string;
        const current = now(each.device);
        const from = clock.now();
        if (each.kind === 'bind' && current.place === null) {
          const place = devices[each.place] as string;
          await bind(number, place);
          histories[each.device]?.push({ from, place, point: points++ });
        } else if (each.kind === 'unbind' && current.place !== null) {
          await unbind(number);
          histories[each.device]?.push({ from, place: null, point: points++ });
        } else if (each.kind === 'replace' && each.next !== each.device && now(each.next).place === null) {
          await replace(number, devices[each.next] as string);
          histories[each.next]?.push({ from, place: current.place, point: current.point });
          histories[each.device]?.push({ from, place: null, point: points++ });
        } else if (each.kind === 'send') {
          // Readings are never placed in the minute of a change, because the change takes some milliseconds.
          const readings = each.ages
            .map((age) => from - age * MIN - 7_000)
            .filter((at) => !taken.has(at) && taken.add(at))
            .map((at): [number, number] => [at, Math.round(++values * 100 + 500_000) / 100_000]);
          if (readings.length > 0) await send(number, readings, each.elsewhere ? other : server);
          for (const [at, value] of readings) sent.push({ value, device: each.device, at });
        }
      }
      const places = await placesOf(sent.map(({ value }) => value));
      const channelOf = new Map<number, number>();
      for (const { value, device, at } of sent) {
        const expected = histories[device]?.findLast(({ from }) => at >= from);
        const found = places.get(value);
        expect(found?.place).toBe(expected?.place);
        // A measuring place at an asset has one channel, whichever device measures there.
        if (!expected?.place || !found) continue;
        expect(channelOf.get(expected.point) ?? found.channelId).toBe(found.channelId);
        channelOf.set(expected.point, found.channelId);
      }
      expect(new Set(channelOf.values()).size).toBe(channelOf.size);
    }),
    // Smaller counter-examples take longer to find than a test may take.
    { numRuns: Number(process.env.BINDING_RUNS ?? 12), endOnFailure: true },
  );
});
