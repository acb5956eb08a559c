import { referenceEpisodes } from '@isotherm/domain/alarms/reference';
import { DAY_MS } from '@isotherm/domain/readings/sealed-day';
import { createTestDatabase } from '@isotherm/testkit/test-database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AlarmBench, ruleVersion, startAlarmBench } from '../../testing/alarm-bench.ts';

const MIN = 60_000;
const MIDNIGHT = Math.floor(Date.now() / DAY_MS) * DAY_MS - 4 * DAY_MS;
const clock = { time: MIDNIGHT, now: () => clock.time };
let bench: AlarmBench;

beforeAll(async () => {
  bench = await startAlarmBench(await createTestDatabase(), clock);
});
afterAll(() => bench.stop());

/** Values at minutes after midnight. */
const at = (value: number, ...minutes: number[]) =>
  minutes.map((minute) => ({ at: MIDNIGHT + minute * MIN, value }));

/**
 * A trigger delay begins before midnight, and the rules are edited after it. Readings of the time in between arrive after
 * the edit, so that no state at midnight was known when they were evaluated.
 */
test.each([
  ['no reading after the edit', [ruleVersion({ triggerAfterMs: 10 * MIN })], []],
  ['a reading after the edit', [ruleVersion({ triggerAfterMs: 10 * MIN })], at(9, 8)],
  [
    'another rule that is active',
    [ruleVersion({ triggerAfterMs: 10 * MIN }), ruleVersion({ kind: 'high', level: 1, limit: 7.5 })],
    at(9, 8),
  ],
  ['a day without readings in between', [ruleVersion({ triggerAfterMs: 10 * MIN })], at(9, 1445, 2890)],
])(
  'a rule that was edited after midnight is evaluated from before midnight on, with %s',
  async (_, versions, later) => {
    const channel = await bench.channel({ versions });
    const before = at(9, -8, -4);
    const late = at(9, 0, 4);
    clock.time = MIDNIGHT - 4 * MIN;
    await bench.send(channel.channelId, before);
    clock.time = MIDNIGHT + 5 * MIN;
    const rules = await bench.edit(channel.channelId, channel.rules, MIDNIGHT + 5 * MIN);
    for (const reading of later) {
      clock.time = reading.at;
      await bench.send(channel.channelId, [reading]);
    }
    clock.time += MIN;
    await bench.send(channel.channelId, late);
    expect(await bench.alarmsOf(channel.channelId)).toEqual(
      referenceEpisodes(rules, [...before, ...late, ...later]),
    );
  },
);
