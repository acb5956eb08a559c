import type { LimitRule } from '@isotherm/domain/alarms/alarm-machine';
import { DATA_TIMEOUT_MS } from '@isotherm/domain/alarms/data-timeout';
import { type ReferenceReading, referenceEpisodes } from '@isotherm/domain/alarms/reference';
import type { RuleVersion } from '@isotherm/domain/alarms/rule-version';
import { DAY_MS } from '@isotherm/domain/readings/sealed-day';
import { createTestDatabase } from '@isotherm/testkit/test-database';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AlarmBench, startAlarmBench } from '../../testing/alarm-bench.ts';
import { createDataTimeout } from './data-timeout.ts';

const MIN = 60_000;
const START = Math.floor(Date.now() / DAY_MS) * DAY_MS - 8 * DAY_MS - 40 * MIN;
const clock = { time: 0, now: () => clock.time };
let bench: AlarmBench;

beforeAll(async () => {
  bench = await startAlarmBench(await createTestDatabase(), clock);
});
afterAll(() => bench.stop());

const history = fc
  .array(
    fc.tuple(
      fc.oneof(
        { weight: 5, arbitrary: fc.integer({ min: 1, max: 6 }) },
        { weight: 1, arbitrary: fc.constantFrom(600, 1_430, 1_500, 2_000) },
      ),
      fc.constantFrom(1, 5, 7.5, 8.5, 9, 10.5),
    ),
    { minLength: 2, maxLength: 20 },
  )
  .map((rows) => {
    let at = START;
    return rows.map(([apart, value]): ReferenceReading => {
      at += apart * MIN;
      return { at, value };
    });
  });

const rule = fc.record({
  triggerAfterMs: fc.constantFrom(0, 0, 4 * MIN),
  recoverAfterMs: fc.constantFrom(0, 5 * MIN),
  offset: fc.constantFrom(0, 1),
});

const versionOf = ({
  offset,
  ...delays
}: typeof rule extends fc.Arbitrary<infer T> ? T : never): RuleVersion => {
  const limitRule: LimitRule = {
    ...delays,
    id: 0,
    kind: 'high',
    signal: null,
    level: offset === 0 ? 2 : 3,
    limit: 8 + offset,
    recoveryMargin: 0,
    gapAllowanceMs: 5 * MIN,
    limitIsOutside: false,
  };
  return { rule: limitRule, from: -Infinity, until: Infinity, endReason: 'rule-edited' };
};

/** Readings with the delay in minutes after which each of them arrives. */
const arrival = history.chain((readings) =>
  fc.record({
    readings: fc.constant(readings),
    rules: fc.array(rule, { minLength: 1, maxLength: 2 }),
    delays: fc.array(fc.constantFrom(0, 0, 0, 30, 1_600, 3_000), {
      minLength: readings.length,
      maxLength: readings.length,
    }),
    /** Minutes between the moment at which an alarm may time out and the check. */
    checkLater: fc.constantFrom(0, 10, 700),
  }),
);

test('with timeouts of alarms and any order of arrival, the alarms equal those of the reference implementation', async () => {
  let timeouts = 0;
  await fc.assert(
    fc.asyncProperty(arrival, async ({ readings, rules, delays, checkLater }) => {
      const channel = await bench.channel({ versions: rules.map(versionOf) });
      // The asset has an open no-data alarm, recorded at another channel.
      const silent = await bench.sibling(channel.channelId, 2, 'temperature');
      await bench.pool.query(
        `insert into alarm (channel_id, rule_id, subject, asset_id, organization_id, kind, level, peak_level, state, since,
                            raised_at, trigger_after_ms, late, recorded_at)
         select $1, 0, 'device', $2, organization_id, 'no-data', 1, 1, 'active', now(), now(), 600000, false, now()
           from asset where id = $2`,
        [silent, channel.assetId],
      );
      const timeOut = () => createDataTimeout(bench.pool, clock, () => undefined).run();
      const arriving = readings
        .map((reading, i) => ({ reading, at: reading.at + (delays[i] as number) * MIN }))
        .sort((a, b) => a.at - b.at);
      const received: ReferenceReading[] = [];
      for (const [index, { reading, at }] of arriving.entries()) {
        clock.time = at;
        await bench.send(channel.channelId, [reading]);
        received.push(reading);
        const next = arriving[index + 1]?.at ?? Number.POSITIVE_INFINITY;
        const check = at + DATA_TIMEOUT_MS + (1 + checkLater) * MIN;
        if (check < next) {
          clock.time = check;
          await timeOut();
        }
        const { rows } = await bench.pool.query<{ at: number }>(
          `select (extract(epoch from at) * 1000)::float8 as at from alarm_timeout where channel_id = $1 order by at`,
          [channel.channelId],
        );
        timeouts += rows.length;
        const known = { ...channel.rules, timeouts: rows.map((row) => row.at) };
        expect(await bench.alarmsOf(channel.channelId)).toEqual(referenceEpisodes(known, received));
      }
    }),
    { numRuns: Number(process.env.RUNS ?? 40) },
  );
  expect(timeouts).toBeGreaterThan(0);
}, 600_000);
