import type { listAlarms } from '@isotherm/contracts/alarms';
import type { getDeviceClock } from '@isotherm/contracts/device-registry';
import type { ResponseOf } from '@isotherm/contracts/route';
import type { getAggregates, getCurve } from '@isotherm/contracts/telemetry';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { asking } from '../../testing/asking.ts';
import {
  fridge,
  type Session,
  startTestServer,
  TEST_KEY,
  type TestServer,
} from '../../testing/test-server.ts';

const SEC = 1000;
const MIN = 60 * SEC;
const DAY = 24 * 60 * MIN;
/** The server's clock, which is right; the tests advance it. */
const clock = { offset: 0, now: () => Date.now() + clock.offset };
let server: TestServer;
let manager: Session;
let numbers = 47_500_000;
let number = '';

beforeAll(async () => {
  server = await startTestServer({ clock });
});
afterAll(() => server.stop());
beforeEach(async () => {
  manager = await server.logIn('demo.manager');
  number = await newDevice();
});

async function newDevice(): Promise<string> {
  const made = String(++numbers);
  await server.provision(manager, [fridge(made, { triggerAfterMs: 60_000 })]);
  return made;
}

type Sent = { sentAt?: number; ages?: number[] };

/** Sends a live message from a device with this clock offset, a minute after the previous one. */
async function live(value: number, offset: number, { sentAt, ages = [0] }: Sent = {}) {
  clock.offset += MIN;
  const now = clock.now();
  const answer = await server.ingest(number, TEST_KEY, {
    ...(sentAt === undefined ? {} : { sentAt: now + sentAt }),
    readings: ages.map((age) => ({ channel: 'temperature-1', at: now + offset - age, value })),
  });
  expect(answer.data).toMatchObject({ accepted: ages.length, rejected: [] });
  return now;
}

const rows = async <T>(sql: string, values: unknown[] = [number]) =>
  (await server.pool.query(sql, values)).rows as T[];
const alarms = () =>
  rows<{ kind: string; state: string; since: Date; late: boolean }>(
    `select m.kind, m.state, m.since, m.late from alarm m join channel c on c.id = m.channel_id
       join device d on d.id = c.device_id where d.number = $1 and m.kind <> 'clock' order by m.since`,
  );
async function latest(): Promise<{ value: number; age: number }> {
  const [row] = await rows<{ value: number; measured_at: Date }>(
    `select l.value, l.measured_at from channel_latest l join channel c on c.id = l.channel_id
       join device d on d.id = c.device_id where d.number = $1 and c.indicator = 'temperature'`,
  );
  return { value: row?.value ?? Number.NaN, age: clock.now() - (row?.measured_at.getTime() ?? 0) };
}
const clocks = () =>
  rows<{ offset_ms: number; open: boolean }>(
    `select offset_ms, valid_until = 'infinity' as open from device_clock k join device d on d.id = k.device_id
      where d.number = $1 order by valid_from`,
  );
async function channelId(): Promise<number> {
  const [row] = await rows<{ id: number }>(
    `select c.id from channel c join device d on d.id = c.device_id
      where d.number = $1 and c.indicator = 'temperature' and c.retired_at is null`,
  );
  return row?.id as number;
}
async function curve(from: number, to: number) {
  const asked = asking(server, manager);
  const { series } = await asked.ask<ResponseOf<typeof getCurve>>({
    path: '/api/telemetry/curve',
    query: {
      channels: String(await channelId()),
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
    },
  });
  return series[0] as (typeof series)[number];
}
const close = (moment: number | undefined, to: number) =>
  expect(Math.abs((moment ?? 0) - to)).toBeLessThan(30 * SEC);

describe('positions of a device with a wrong clock', () => {
  type Position = { at: number; latitude: number; longitude: number };
  const at = (sent: number, latitude: number, longitude = 121.4): Position => ({
    at: sent,
    latitude,
    longitude,
  });
  const send = async (offset: number, positions: Position[]) => {
    const { data } = await server.ingest(number, TEST_KEY, { sentAt: clock.now() + offset, positions });
    expect(data).toMatchObject({ rejectedPositions: 0 });
  };
  const stored = async () =>
    (
      await rows<{ at: number }>(
        `select round(extract(epoch from measured_at) * 1000)::float8 as at from position
          where device_id = (select id from device where number = $1) order by measured_at`,
      )
    ).map((row) => row.at);
  const shown = async () =>
    (
      await rows<{ at: number; latitude: number }>(
        `select round(extract(epoch from p.measured_at) * 1000)::float8 as at, p.latitude from asset_position p
          join device d on d.asset_id = p.asset_id where d.number = $1`,
      )
    )[0];

  it.each([
    ['a day behind', -DAY],
    ['an hour behind', -60 * MIN],
    ['an hour ahead', 60 * MIN],
    ['a day ahead', DAY],
  ])('keep the time that was sent, and move the mark at the real time: %s', async (_, offset) => {
    // A clock far ahead is believed after three messages.
    for (let message = 0; message < 3; message++) {
      clock.offset += MIN;
      const now = clock.now() + offset;
      const readings = [{ channel: 'temperature-1', at: now, value: 4 }];
      await server.ingest(number, TEST_KEY, { sentAt: now, readings });
    }
    const sent: Position[] = [];
    const go = async (latitude: number, longitude?: number) => {
      clock.offset += MIN;
      const now = clock.now();
      sent.push(at(now + offset, latitude, longitude));
      await send(offset, sent.slice(-1));
      return now;
    };
    const moments: number[] = [];
    for (const latitude of [31.2, 31.201, 31.202]) {
      moments.push(await go(latitude));
      close((await shown())?.at, moments.at(-1) as number);
    }
    // A jump is recognised by the positions before it, which were sent with the same wrong time.
    await go(-31.2, -58.6);
    expect((await shown())?.latitude).toBe(31.202);
    close((await shown())?.at, moments[2] as number);
    const last = await go(31.203);
    expect((await shown())?.latitude).toBe(31.203);
    close((await shown())?.at, last);
    expect(await stored()).toEqual(sent.map((each) => each.at));

    // The clock is right again: the same positions change nothing, and the mark goes on.
    clock.offset += MIN;
    await live(4, 0, { sentAt: 0 });
    if (offset < 0) await send(0, sent);
    expect(await stored()).toHaveLength(sent.length);
    let right = 0;
    for (const latitude of [31.204, 31.205, 31.206]) {
      clock.offset += MIN;
      right = clock.now();
      await send(0, [at(right, latitude)]);
      expect(await shown()).toEqual({ at: right, latitude });
    }
    clock.offset += MIN;
    await send(0, [at(clock.now(), -31.2, -58.6)]);
    expect(await shown()).toEqual({ at: right, latitude: 31.206 });
  });
});

describe('device clock that jumps a day back', () => {
  it('readings after a clock jump raise a live alarm, and the newest value is the newest measured one', async () => {
    for (let i = 0; i < 5; i++) await live(4, 0);
    const first = await live(12, -DAY);
    for (let i = 0; i < 3; i++) await live(12, -DAY);
    const [alarm, ...others] = (await alarms()).filter(({ state }) => state === 'active');
    expect(others).toEqual([]);
    expect(alarm).toMatchObject({ kind: 'high', late: false });
    close(alarm?.since.getTime(), first);
    const newest = await latest();
    expect(newest.value).toBe(12);
    expect(newest.age).toBeLessThan(30 * SEC);
    const [wrong] = await clocks();
    close(wrong?.offset_ms, -DAY);
    expect(wrong?.open).toBe(true);
  });

  it("readings after a clock jump appear at their real times, are marked, and keep the device's time", async () => {
    await live(4, 0);
    const begun = clock.now();
    for (let i = 0; i < 5; i++) await live(5 + i / 10, -DAY);
    const shown = await curve(begun, clock.now() + SEC);
    expect(shown.mean).toEqual([5, 5.1, 5.2, 5.3, 5.4]);
    close(shown.at[0], begun + MIN);
    expect(shown.estimated).toHaveLength(1);
    close(shown.estimated[0]?.offsetMs, -DAY);
    expect((await curve(begun - DAY - MIN, clock.now() - DAY + MIN)).at).toEqual([]);
    const kept = await rows<{ measured_at: Date }>(
      'select measured_at from estimated_reading where channel_id = $1 order by 1',
      [await channelId()],
    );
    expect(kept).toHaveLength(5);
    close(kept[0]?.measured_at.getTime(), begun + MIN - DAY);
  });

  it('the clock is treated as right again with the first message that has the right time', async () => {
    for (let i = 0; i < 4; i++) await live(12, -DAY);
    await live(4, 0);
    await live(4, 0);
    expect((await alarms()).filter(({ state }) => state === 'active')).toEqual([]);
    expect((await latest()).value).toBe(4);
    expect((await clocks()).map(({ open }) => open)).toEqual([false]);
  });

  it('a clock jump is detected at once if the device includes its send time', async () => {
    await live(4, 0, { sentAt: 0 });
    await live(12, -DAY, { sentAt: -DAY });
    expect((await latest()).value).toBe(12);
  });

  it('a resend of estimated readings changes nothing', async () => {
    for (let i = 0; i < 4; i++) await live(12, -DAY);
    const at = clock.now() - DAY;
    const message = { readings: [{ channel: 'temperature-1', at, value: 12.5 }] };
    await server.ingest(number, TEST_KEY, message);
    clock.offset += 5 * SEC;
    await server.ingest(number, TEST_KEY, message);
    const kept = await rows('select 1 from estimated_reading where channel_id = $1 and value = 12.5', [
      await channelId(),
    ]);
    expect(kept).toHaveLength(1);
  });

  it('readings after a clock jump belong to the asset where the device is now, not where it was a day ago', async () => {
    await live(4, 0);
    const before = await channelId();
    const asked = asking(server, manager);
    const elsewhere = await newDevice();
    const [asset] = await rows<{ asset_id: number }>('select asset_id from device where number = $1', [
      elsewhere,
    ]);
    const post = (action: string, json: object) =>
      asked.ask({ method: 'POST', path: `/api/device/list${action}`, json });
    await post('/unbind', { numbers: [number], reason: 'Moved' });
    await post('/bind', { bonds: [{ number, assetId: Number(asset?.asset_id) }] });
    const after = await channelId();
    for (let i = 0; i < 4; i++) await live(12, -DAY);
    const count = async (id: number) =>
      (await rows('select 1 from estimated_reading where channel_id = $1', [id])).length;
    expect([await count(before), await count(after)]).toEqual([0, 4]);
    expect(await rows('select 1 from reading where channel_id = $1', [before])).toHaveLength(1);
  });
});

describe('display of a wrong clock', () => {
  it('the device has one alarm from when its clock became wrong until it is right', async () => {
    const listed = async () => {
      const { items } = await asking(server, manager).ask<ResponseOf<typeof listAlarms>>({
        path: '/api/alarm/current',
        query: { search: `F-${number}` },
      });
      return items.filter(({ kind }) => kind === 'clock');
    };
    await live(4, 0);
    const begun = clock.now();
    for (let i = 0; i < 5; i++) await live(4, -DAY);
    const [alarm, ...others] = await listed();
    expect(others).toEqual([]);
    expect(alarm).toMatchObject({ subject: 'device', deviceNumber: number, state: 'active', level: 1 });
    close(Date.parse(alarm?.since ?? ''), begun + MIN);
    const ended = await live(4, 0);
    const [over] = await listed();
    expect(over).toMatchObject({ state: 'ended', endReason: 'clock-corrected' });
    close(Date.parse(over?.endedAt ?? ''), ended);
  });

  it('the device page shows the clock offset, when the clock was wrong, and rejected readings', async () => {
    const of = () =>
      asking(server, manager).ask<ResponseOf<typeof getDeviceClock>>({
        path: `/api/device/list/${number}/clock`,
      });
    await live(4, 0);
    expect(await of()).toEqual({ offsetMs: 0, wrong: [], untimed: [] });
    const begun = clock.now();
    for (let i = 0; i < 3; i++) await live(4, -DAY);
    const shown = await of();
    close(shown.offsetMs, -DAY);
    close(Date.parse(shown.wrong[0]?.from ?? ''), begun + MIN);
    expect(shown.wrong[0]?.until).toBeNull();
    await server.ingest(number, TEST_KEY, {
      readings: [{ channel: 'temperature-1', at: 60_000, value: 12 }],
    });
    expect((await of()).untimed).toMatchObject([
      {
        channelKey: 'temperature-1',
        channel: { name: 'Air, top shelf', indicator: 'temperature' },
        measuredAt: new Date(60_000).toISOString(),
        value: 12,
        fault: 'before-2000',
      },
    ]);
  });

  it('an export has a column with the device time if times are estimated, and only then', async () => {
    const begun = clock.now();
    await live(4, 0);
    const exported = async () => {
      const answer = await server.call<string>({
        method: 'POST',
        path: '/api/telemetry/export',
        session: manager,
        json: {
          channels: [await channelId()],
          from: new Date(begun).toISOString(),
          to: new Date(clock.now() + SEC).toISOString(),
          format: 'csv',
          zone: 'UTC',
        },
      });
      return answer.data.trim().split('\r\n');
    };
    expect((await exported())[0]).toBe('Time,Value,Unit,Indicator,Channel,Device,Asset code,Asset');
    for (let i = 0; i < 3; i++) await live(5, -DAY);
    const [head, right, estimated] = await exported();
    expect(head).toMatch(/,Asset,Device time$/);
    expect(right).toMatch(/,4,.*,$/);
    const times = /^([^,]+),5,.*,([^,]+)$/.exec(estimated as string);
    close(Date.parse(times?.[1] ?? '') - Date.parse(times?.[2] ?? ''), DAY);
  });

  it('aggregates mark the periods with estimated times', async () => {
    const begun = clock.now();
    for (let i = 0; i < 3; i++) await live(4, -DAY);
    const { series } = await asking(server, manager).ask<ResponseOf<typeof getAggregates>>({
      path: '/api/telemetry/aggregates',
      query: {
        channels: String(await channelId()),
        from: new Date(begun).toISOString(),
        to: new Date(clock.now() + SEC).toISOString(),
        period: '5-minutes',
        zone: 'UTC',
      },
    });
    expect(series[0]?.count.reduce((sum, count) => sum + count, 0)).toBe(3);
    expect(series[0]?.estimated).toMatchObject([{ until: null }]);
  });
});

describe('device clock that is four minutes ahead', () => {
  it('after the clock was corrected, the alarm ends and the newest value is up to date', async () => {
    await live(4, 0);
    for (let i = 0; i < 3; i++) await live(12, 4 * MIN);
    const [alarm] = await alarms();
    expect(alarm).toMatchObject({ state: 'active', late: false });
    expect((await latest()).age).toBeGreaterThanOrEqual(0);
    for (let i = 0; i < 2; i++) await live(4, 0);
    expect((await alarms()).map(({ state }) => state)).toEqual(['ended']);
    expect(await latest()).toMatchObject({ value: 4 });
  });

  it('an alarm that ends while the clock is wrong gets the real time as its end', async () => {
    for (let i = 0; i < 3; i++) await live(12, 4 * MIN);
    const end = await live(4, 4 * MIN);
    const [row] = await rows<{ ended_at: Date }>(
      `select ended_at from alarm m join channel c on c.id = m.channel_id join device d on d.id = c.device_id
        where d.number = $1 and m.kind = 'high'`,
    );
    close(row?.ended_at.getTime(), end);
  });
});

describe('devices whose clock is right', () => {
  it('buffered readings keep their times', async () => {
    await live(4, 0);
    const begun = clock.now();
    clock.offset += 60 * MIN;
    for (let i = 1; i <= 50; i++)
      await server.ingest(number, TEST_KEY, {
        readings: [{ channel: 'temperature-1', at: begun + i * MIN, value: 4 }],
      });
    await live(4, 0);
    expect(await clocks()).toEqual([]);
    expect(await rows('select 1 from estimated_reading where channel_id = $1', [await channelId()])).toEqual(
      [],
    );
  });

  it('late readings, one each minute in addition to live ones, keep their times', async () => {
    for (let i = 0; i < 6; i++) {
      const now = await live(4, 0);
      await server.ingest(number, TEST_KEY, {
        readings: [{ channel: 'temperature-1', at: now - DAY, value: 4 }],
      });
    }
    expect(await clocks()).toEqual([]);
  });
});

describe('readings of a clock that was reset', () => {
  it('readings of a reset clock are refused, and kept for inspection', async () => {
    const lost = Date.UTC(2000, 0, 1, 0, 7);
    const answer = await server.ingest(number, TEST_KEY, {
      readings: [
        { channel: 'temperature-1', at: lost, value: 12 },
        { channel: 'temperature-1', at: 7 * MIN, value: 12.5 },
        { channel: 'temperature-1', at: clock.now(), value: 4 },
      ],
    });
    expect(answer.data).toMatchObject({
      accepted: 1,
      rejected: [
        { index: 0, fault: 'clock-reset' },
        { index: 1, fault: 'before-2000' },
      ],
    });
    const kept = await rows(
      `select u.channel_key, u.measured_at, u.value, u.fault from untimed_reading u join device d on d.id = u.device_id
        where d.number = $1 order by u.measured_at`,
    );
    expect(kept).toEqual([
      { channel_key: 'temperature-1', measured_at: new Date(7 * MIN), value: 12.5, fault: 'before-2000' },
      { channel_key: 'temperature-1', measured_at: new Date(lost), value: 12, fault: 'clock-reset' },
    ]);
  });
});
