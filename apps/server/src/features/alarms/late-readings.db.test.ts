import type { LimitRule } from '@isotherm/domain/alarms/alarm-machine';
import { replay } from '@isotherm/domain/alarms/late-readings';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  fridge,
  type Session,
  startTestServer,
  TEST_KEY,
  type TestServer,
} from '../../testing/test-server.ts';

const MIN = 60_000;
let server: TestServer;
let manager: Session;
let serial = 20_000_000;

beforeAll(async () => {
  server = await startTestServer();
  manager = await server.logIn('demo.manager');
});
afterAll(() => server.stop());

const HIGH: LimitRule = {
  id: 0,
  kind: 'high',
  level: 3,
  limit: 8,
  recoveryMargin: 0.5,
  triggerAfterMs: 3 * MIN,
  recoverAfterMs: 0,
  gapAllowanceMs: 5 * MIN,
  limitIsOutside: false,
};
const LOW: LimitRule = { ...HIGH, kind: 'low', level: 4, limit: 2 };

interface Reading {
  at: number;
  value: number;
}

async function newDevice(): Promise<string> {
  const number = String(++serial);
  await server.provision(manager, [fridge(number, { triggerAfterMs: HIGH.triggerAfterMs })]);
  return number;
}

async function alarmsOf(number: string) {
  const { rows } = await server.pool.query<Record<string, unknown>>(
    `select a.kind, (extract(epoch from a.since) * 1000)::float8 as since,
            (extract(epoch from a.raised_at) * 1000)::float8 as raised,
            (extract(epoch from a.ended_at) * 1000)::float8 as ended, a.peak_value as peak
       from alarm a join channel c on c.id = a.channel_id join device d on d.id = c.device_id
      where d.number = $1 and a.end_reason is distinct from 'late-readings' order by a.since, a.kind`,
    [number],
  );
  return rows;
}

function implied(readings: readonly Reading[]) {
  const inOrder = [...readings].sort((a, b) => a.at - b.at);
  return [HIGH, LOW]
    .flatMap((rule) =>
      replay(rule, inOrder).episodes.map((episode) => ({
        kind: rule.kind,
        since: episode.since,
        raised: episode.raisedAt,
        ended: episode.endedAt,
        peak: episode.peak,
      })),
    )
    .sort((a, b) => a.since - b.since || a.kind.localeCompare(b.kind));
}

function send(number: string, readings: readonly Reading[]) {
  return server.ingest(number, TEST_KEY, {
    readings: readings.map((reading) => ({ channel: 'temperature-1', ...reading })),
  });
}

/** A few hours of readings one to seven minutes apart (some gaps), wandering across both limits. */
const history = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 7 }), fc.constantFrom(1, 1.9, 2.4, 5, 5.5, 7.4, 7.8, 8.4, 9.3)), {
    minLength: 5,
    maxLength: 40,
  })
  .map((rows) => {
    let at = Math.floor(Date.now() / MIN) * MIN - 8 * 60 * MIN;
    return rows.map(([apart, value]) => {
      at += apart * MIN;
      return { at, value };
    });
  });

function mixedMessage() {
  const start = Math.floor(Date.now() / MIN) * MIN - 8 * 60 * MIN;
  const readings = [
    [0, 1],
    [1, 1],
    [2, 5.5],
    [3, 1],
    [6, 1],
  ].map(([minute, value]) => ({ at: start + (minute as number) * MIN, value: value as number }));
  return { readings, order: [0, 2, 3, 1, 4].map((index) => readings[index] as Reading), size: 2 };
}

test('in whatever order and pieces readings arrive, the alarms are those that they imply, each once', async () => {
  await fc.assert(
    fc.asyncProperty(
      history.chain((readings) =>
        fc.record({
          readings: fc.constant(readings),
          order: fc.shuffledSubarray(readings, { minLength: readings.length }),
          size: fc.integer({ min: 1, max: 12 }),
        }),
      ),
      async ({ readings, order, size }) => {
        const number = await newDevice();
        for (let i = 0; i < order.length; i += size) await send(number, order.slice(i, i + size));
        expect(await alarmsOf(number)).toEqual(implied(readings));
        // Sent all over again, it changes nothing.
        await send(number, readings);
        expect(await alarmsOf(number)).toEqual(implied(readings));
      },
    ),
    {
      numRuns: 60,
      // Late and fresh readings of a channel in one message: what is fresh must be judged too.
      examples: [[mixedMessage()]],
    },
  );
}, 120_000);

test('a backlog sent newest first: the alarm is found where it belongs, is marked late, and rings once', async () => {
  const number = await newDevice();
  const start = Math.floor(Date.now() / MIN) * MIN - 120 * MIN;
  const values = [5, 5, ...Array<number>(12).fill(9.2), ...Array<number>(40).fill(5)];
  const readings = values.map((value, index) => ({ at: start + index * MIN, value }));
  await send(number, readings.slice(0, 2));
  await send(number, readings.slice(-1));
  for (let end = readings.length - 1; end > 2; end -= 10)
    await send(number, readings.slice(Math.max(2, end - 10), end));
  const { rows } = await server.pool.query(
    `select a.late, a.state, a.end_reason,
            (select count(*)::int from outbox x where x.alarm_id = a.id and x.topic = 'alarm.raised') as rang
       from alarm a join channel c on c.id = a.channel_id join device d on d.id = c.device_id where d.number = $1`,
    [number],
  );
  expect(rows).toEqual([{ late: true, state: 'ended', end_reason: 'recovered', rang: 0 }]);
  expect(await alarmsOf(number)).toEqual(implied(readings));
});

test('an alarm that late readings refute stays on record, ended as refuted', async () => {
  const number = await newDevice();
  const start = Math.floor(Date.now() / MIN) * MIN - 60 * MIN;
  const at = (minute: number, value: number) => ({ at: start + minute * MIN, value });
  // Two readings outside, a silence that counts for nothing, two more: four minutes outside in all.
  await send(number, [at(0, 5), at(1, 9), at(3, 9)]);
  await send(number, [at(20, 9), at(22, 9)]);
  expect(await alarmsOf(number)).toHaveLength(1);
  // The backlog says that it was cold in between, so it was never outside for three minutes.
  await send(number, [at(10, 5)]);
  expect(await alarmsOf(number)).toEqual([]);
  const { rows } = await server.pool.query(
    `select a.state, a.end_reason from alarm a join channel c on c.id = a.channel_id
       join device d on d.id = c.device_id where d.number = $1`,
    [number],
  );
  expect(rows).toEqual([{ state: 'ended', end_reason: 'late-readings' }]);
});
