import type { LimitRule } from '@isotherm/domain/alarms/alarm-machine';
import { type ReferenceReading, referenceEpisodes } from '@isotherm/domain/alarms/reference';
import { untilExpiry } from '@isotherm/domain/alarms/rule-version';
import { DAY_MS } from '@isotherm/domain/readings/sealed-day';
import { createTestDatabase } from '@isotherm/testkit/test-database';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createInvalidations } from '../../../platform/cache/invalidations.ts';
import { transaction } from '../../../platform/db/pool.ts';
import {
  type AlarmBench,
  type BenchChannel,
  ruleVersion,
  startAlarmBench,
} from '../../../testing/alarm-bench.ts';
import { createRuleBook } from '../index.ts';
import { touchRules } from '../rules.repo.ts';
import { createSubscriptionScan } from './subscriptions.ts';

const MIN = 60_000;
const START = Math.floor(Date.now() / DAY_MS) * DAY_MS - 4 * DAY_MS - 40 * MIN;
const clock = { time: START, now: () => clock.time };
let bench: AlarmBench;

beforeAll(async () => {
  bench = await startAlarmBench(await createTestDatabase(), clock);
});
afterAll(() => bench.stop());

/** Devices whose data services could not be stopped or resumed. */
const failed: number[] = [];

/** Scans in the way of another process, which has caches of its own. */
const scan = () =>
  createSubscriptionScan(
    bench.pool,
    createRuleBook(createInvalidations(true)),
    clock,
    () => undefined,
    (deviceId) => failed.push(deviceId),
  ).scan();

/** Changes the expiry. In a server, a trigger tells the processes, which the test does by the revision of the rules. */
async function expireAt({ deviceId, channelId }: BenchChannel, at: number | null): Promise<void> {
  await transaction(bench.pool, async (tx) => {
    await tx.query('update device set expires_at = $2 where id = $1', [
      deviceId,
      at === null ? null : new Date(at),
    ]);
    await touchRules(tx, [channelId]);
  });
}

const history = fc
  .array(
    fc.tuple(
      fc.oneof(
        { weight: 8, arbitrary: fc.integer({ min: 1, max: 6 }) },
        { weight: 1, arbitrary: fc.constantFrom(30, 700) },
      ),
      fc.constantFrom(1, 5, 7.5, 8.5, 9, 10.5),
    ),
    { minLength: 3, maxLength: 25 },
  )
  .map((rows) => {
    let at = START;
    return rows.map(([apart, value]): ReferenceReading => {
      at += apart * MIN;
      return { at, value };
    });
  });

const timed = {
  triggerAfterMs: fc.constantFrom(0, 0, 4 * MIN),
  recoverAfterMs: fc.constantFrom(0, 5 * MIN),
  level: fc.constantFrom(2 as const, 3 as const),
};
// A signal has a kind of alarms of its own, as in the catalogue.
const rule = fc.oneof(
  { weight: 2, arbitrary: fc.record({ ...timed, kind: fc.constant('high' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      ...timed,
      kind: fc.constant('fast-rise' as const),
      signal: fc.constant<LimitRule['signal']>({ type: 'rate', windowMs: 10 * MIN }),
      limit: fc.constant(20),
    }),
  },
);

/** What happens to the subscription after a message: nothing, a new end in so many minutes, or a renewal. */
const change = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ type: 'none' as const, minutes: 0 }) },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('end-in' as const), minutes: fc.integer({ min: 0, max: 20 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('renew' as const), minutes: fc.integer({ min: 1, max: 60 }) }),
  },
  { weight: 1, arbitrary: fc.constant({ type: 'unlimited' as const, minutes: 0 }) },
);

const course = history.chain((readings) =>
  fc.record({
    readings: fc.constant(readings),
    rules: fc.array(rule, { minLength: 1, maxLength: 2 }),
    steps: fc.array(
      fc.record({ change, delay: fc.constantFrom(0, 0, 0, 12, 90, 1_500), isScanned: fc.boolean() }),
      { minLength: readings.length, maxLength: readings.length },
    ),
  }),
);

describe('data services stop at expiry (decision 33)', () => {
  test('while a device is expired nothing is evaluated, and after renewals in any order of arrival the alarms are those of a device that never expired', async () => {
    let stopped = 0;
    await fc.assert(
      fc.asyncProperty(course, async ({ readings, rules, steps }) => {
        const channel = await bench.channel({ versions: rules.map(ruleVersion) });
        const arriving = readings
          .map((reading, i) => {
            const step = steps[i] as (typeof steps)[number];
            return { reading, step, at: reading.at + step.delay * MIN };
          })
          .sort((a, b) => a.at - b.at);
        let expiresAt = Number.POSITIVE_INFINITY;
        const received: ReferenceReading[] = [];
        for (const { reading, step, at } of arriving) {
          clock.time = at;
          await bench.send(channel.channelId, [reading]);
          received.push(reading);
          const { type, minutes } = step.change;
          // Readings that were evaluated before the expiry was set were measured before it.
          if (type === 'end-in') expiresAt = at + minutes * MIN + 1;
          if (type === 'renew') expiresAt += minutes * MIN;
          if (type === 'unlimited') expiresAt = Number.POSITIVE_INFINITY;
          if (type !== 'none') await expireAt(channel, Number.isFinite(expiresAt) ? expiresAt : null);
          if (!step.isScanned) continue;
          await scan();
          const hasEnded = expiresAt <= at;
          if (hasEnded) stopped++;
          const versions = hasEnded
            ? channel.rules.versions.map((version) => untilExpiry(version, expiresAt))
            : channel.rules.versions;
          expect(await bench.alarmsOf(channel.channelId)).toEqual(
            referenceEpisodes({ ...channel.rules, versions }, received),
          );
        }
        await expireAt(channel, null);
        await scan();
        expect(await bench.alarmsOf(channel.channelId)).toEqual(referenceEpisodes(channel.rules, readings));
      }),
      { numRuns: Number(process.env.RUNS ?? 60) },
    );
    expect(stopped).toBeGreaterThan(0);
  }, 600_000);

  const device = () => bench.channel({ versions: [ruleVersion({})] });
  const outside = (at: number): ReferenceReading => ({ at, value: 9 });
  const alarmOf = async ({ channelId }: BenchChannel) => {
    const { rows } = await bench.pool.query(
      'select end_reason, ended_at, acknowledged_at is not null as acknowledged from alarm where channel_id = $1',
      [channelId],
    );
    return rows;
  };

  test('an open alarm ends at the expiry, and a renewal lets it go on, also if it was acknowledged', async () => {
    const channel = await device();
    clock.time = START + MIN;
    await bench.send(channel.channelId, [outside(START)]);
    await bench.pool.query('update alarm set acknowledged_at = now() where channel_id = $1', [
      channel.channelId,
    ]);
    await expireAt(channel, START + 2 * MIN);
    await scan();
    expect(await alarmOf(channel)).toMatchObject([{ end_reason: null }]);
    clock.time = START + 3 * MIN;
    await scan();
    expect(await alarmOf(channel)).toMatchObject([
      { end_reason: 'subscription-expired', ended_at: new Date(START + 2 * MIN) },
    ]);
    await expireAt(channel, START + DAY_MS);
    await scan();
    expect(await alarmOf(channel)).toMatchObject([{ end_reason: null, ended_at: null, acknowledged: true }]);
  });

  test('a trigger delay that began on the day before the expiry goes on after a renewal', async () => {
    const channel = await bench.channel({ versions: [ruleVersion({ triggerAfterMs: 30 * MIN })] });
    const midnight = START + 40 * MIN;
    const outsideAt = (...minutes: number[]) => minutes.map((minute) => outside(midnight + minute * MIN));
    clock.time = midnight - 4 * MIN;
    await bench.send(channel.channelId, [{ at: midnight - 16 * MIN, value: 5 }, ...outsideAt(-12, -8, -4)]);
    await expireAt(channel, midnight);
    clock.time = midnight + 20 * MIN;
    await bench.send(channel.channelId, outsideAt(0, 4, 8, 12, 16, 20));
    await scan();
    expect(await bench.alarmsOf(channel.channelId)).toEqual([]);
    await expireAt(channel, null);
    await scan();
    expect(await bench.alarmsOf(channel.channelId)).toMatchObject([
      { since: midnight - 12 * MIN, raisedAt: midnight + 20 * MIN },
    ]);
  });

  /** A trigger delay of 10 minutes begins 8 minutes before midnight; the device expires 10 minutes after it, and is stopped. */
  async function stoppedInDelay() {
    const channel = await bench.channel({ versions: [ruleVersion({ triggerAfterMs: 10 * MIN })] });
    const midnight = START + 40 * MIN;
    const send = (...minutes: number[]) =>
      bench.send(
        channel.channelId,
        minutes.map((minute) => outside(midnight + minute * MIN)),
      );
    clock.time = midnight - 4 * MIN;
    await send(-8, -4);
    await expireAt(channel, midnight + 10 * MIN);
    clock.time = midnight + 20 * MIN;
    await scan();
    return { channel, midnight, send };
  }

  test('a trigger delay that began on the day before goes on with readings that arrive after the expiry', async () => {
    const { channel, midnight, send } = await stoppedInDelay();
    await send(0, 4);
    expect(await bench.alarmsOf(channel.channelId)).toMatchObject([
      { since: midnight - 8 * MIN, raisedAt: midnight + 4 * MIN, endReason: 'subscription-expired' },
    ]);
  });

  test('a trigger delay that began on the day before goes on with late readings that arrive between a renewal and its scan', async () => {
    const { channel, midnight, send } = await stoppedInDelay();
    await send(12);
    await expireAt(channel, midnight + 30 * MIN);
    await send(0, 4);
    await scan();
    expect(await bench.alarmsOf(channel.channelId)).toMatchObject([
      { since: midnight - 8 * MIN, raisedAt: midnight + 4 * MIN, endReason: null },
    ]);
  });

  test('several processes that scan at once end an alarm once', async () => {
    const channel = await device();
    clock.time = START + MIN;
    await bench.send(channel.channelId, [outside(START)]);
    await expireAt(channel, START + MIN);
    await Promise.all(Array.from({ length: 4 }, scan));
    const { rows } = await bench.pool.query(
      `select count(*) as count from alarm_event e join alarm a on a.id = e.alarm_id
        where a.channel_id = $1 and e.type = 'ended'`,
      [channel.channelId],
    );
    expect(rows).toEqual([{ count: 1 }]);
  });

  test('alarms that a clock ahead has ended go on when it is put back', async () => {
    const channel = await device();
    clock.time = START + MIN;
    await bench.send(channel.channelId, [outside(START)]);
    await expireAt(channel, START + DAY_MS);
    clock.time = START + 2 * DAY_MS;
    await scan();
    expect(await alarmOf(channel)).toMatchObject([{ end_reason: 'subscription-expired' }]);
    clock.time = START + 2 * MIN;
    await scan();
    expect(await alarmOf(channel)).toMatchObject([{ end_reason: null, ended_at: null }]);
  });

  test('a device that takes over the channels of an expired one has what lay between evaluated', async () => {
    const channel = await device();
    const next = await device();
    clock.time = START + 5 * MIN;
    await expireAt(channel, START + MIN);
    await bench.send(channel.channelId, [outside(START + 2 * MIN)]);
    await scan();
    expect(await alarmOf(channel)).toEqual([]);
    await bench.pool.query('update channel set device_id = $2 where id = $1', [
      channel.channelId,
      next.deviceId,
    ]);
    await scan();
    expect(await alarmOf(channel)).toMatchObject([{ end_reason: null }]);
  });

  test('a device that always fails holds up neither the renewal nor the expiry of others, and is tried again later', async () => {
    const [bad, renewed, expired] = [await device(), await device(), await device()];
    clock.time = START + MIN;
    for (const { channelId } of [bad, renewed, expired]) await bench.send(channelId, [outside(START)]);
    for (const channel of [bad, renewed]) await expireAt(channel, START + MIN);
    await scan();
    await bench.pool.query(`create function refuse() returns trigger language plpgsql as $$
      begin raise exception 'cannot be stored'; end $$`);
    await bench.pool.query(
      `create trigger refuse before update on alarm for each row when (new.channel_id = ${bad.channelId}) execute function refuse()`,
    );
    failed.length = 0;
    clock.time = START + 2 * MIN;
    for (const channel of [bad, renewed]) await expireAt(channel, START + DAY_MS);
    await expireAt(expired, START + 2 * MIN);
    await scan();
    expect(failed).toEqual([bad.deviceId]);
    expect(await alarmOf(renewed)).toMatchObject([{ end_reason: null }]);
    expect(await alarmOf(expired)).toMatchObject([{ end_reason: 'subscription-expired' }]);
    await scan();
    expect(failed).toEqual([bad.deviceId]);
    clock.time = START + 3 * MIN;
    await scan();
    expect(failed).toEqual([bad.deviceId, bad.deviceId]);
    await bench.pool.query('drop trigger refuse on alarm');
    clock.time = START + 5 * MIN;
    await scan();
    expect(await alarmOf(bad)).toMatchObject([{ end_reason: null }]);
  });
});
