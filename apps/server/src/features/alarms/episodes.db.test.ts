import type { LimitRule } from '@isotherm/domain/alarms/alarm-machine';
import type { RuleVersion } from '@isotherm/domain/alarms/rule-version';
import { DAY_MS } from '@isotherm/domain/readings/sealed-day';
import { createTestDatabase } from '@isotherm/testkit/test-database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AlarmBench, startAlarmBench } from '../../testing/alarm-bench.ts';

const MIN = 60_000;
const START = Math.floor(Date.now() / DAY_MS) * DAY_MS - 3 * DAY_MS;
let bench: AlarmBench;

beforeAll(async () => {
  bench = await startAlarmBench(await createTestDatabase());
});
afterAll(() => bench.stop());

function version(over: Partial<LimitRule> = {}, span: Partial<RuleVersion> = {}): RuleVersion {
  return {
    rule: {
      id: 0,
      kind: 'high',
      signal: null,
      level: 1,
      limit: 8,
      triggerAfterMs: 0,
      recoverAfterMs: 0,
      recoveryMargin: 0,
      gapAllowanceMs: 5 * MIN,
      limitIsOutside: false,
      ...over,
    },
    from: Number.NEGATIVE_INFINITY,
    until: Number.POSITIVE_INFINITY,
    endReason: 'rule-edited',
    ...span,
  };
}

const at = (minute: number, value: number) => ({ at: START + minute * MIN, value });
const rows = async (text: string, values: unknown[]) => (await bench.pool.query(text, values)).rows;
const eventsOf = (channelId: number) =>
  rows(
    `select e.type, e.level, ((extract(epoch from e.at) * 1000 - $2) / 60000)::int as minute
       from alarm_event e join alarm a on a.id = e.alarm_id where a.channel_id = $1 order by e.at, e.id`,
    [channelId, START],
  );

test('an excursion through two levels is one alarm with one event for each level', async () => {
  const { channelId } = await bench.channel({ versions: [version(), version({ level: 4, limit: 12 })] });
  await bench.send(channelId, [at(0, 5), at(1, 9), at(2, 13)]);
  expect(await rows('select level, peak_level, state from alarm where channel_id = $1', [channelId])).toEqual(
    [{ level: 4, peak_level: 4, state: 'active' }],
  );
  await bench.send(channelId, [at(3, 10)]);
  expect(await rows('select level, peak_level, state from alarm where channel_id = $1', [channelId])).toEqual(
    [{ level: 1, peak_level: 4, state: 'active' }],
  );
  await bench.send(channelId, [at(4, 5)]);
  expect(await bench.alarmsOf(channelId)).toMatchObject([
    { since: at(1, 0).at, endedAt: at(4, 0).at, peakLevel: 4, peak: 13 },
  ]);
  expect(await eventsOf(channelId)).toEqual([
    { type: 'raised', level: 1, minute: 1 },
    { type: 'level-changed', level: 4, minute: 2 },
    { type: 'level-changed', level: 1, minute: 3 },
    { type: 'ended', level: 4, minute: 4 },
  ]);
});

test('a late reading before midnight does not change an alarm whose excursion spans that midnight', async () => {
  const { channelId } = await bench.channel({
    versions: [version({ triggerAfterMs: 10 * MIN, gapAllowanceMs: 40 * MIN })],
    intervalMs: 20 * MIN,
  });
  await bench.send(channelId, [at(-25, 9), at(5, 9), at(12, 5)]);
  const raised = await bench.alarmsOf(channelId);
  expect(raised).toMatchObject([{ since: at(-25, 0).at, raisedAt: at(5, 0).at }]);
  await bench.send(channelId, [at(-26, 5)]);
  expect(await bench.alarmsOf(channelId)).toEqual(raised);
});

test('late readings do not change an alarm that was acknowledged after its end, they only annotate it', async () => {
  const { channelId } = await bench.channel({ versions: [version()] });
  await bench.send(channelId, [at(0, 5), at(2, 9), at(4, 5), at(8, 5)]);
  const [before] = await bench.alarmsOf(channelId);
  await bench.pool.query('update alarm set acknowledged_at = now() where channel_id = $1', [channelId]);
  await bench.send(channelId, [at(1, 11), at(5, 11), at(6, 5)]);
  expect(await bench.alarmsOf(channelId)).toEqual([before, expect.objectContaining({ since: at(5, 0).at })]);
  expect(await eventsOf(channelId)).toContainEqual({ type: 'late-readings', level: 1, minute: 1 });
});

test('a reading measured before a rule was edited is evaluated with the version of the rule at that time', async () => {
  const edited = START + 10 * MIN;
  const { channelId } = await bench.channel({
    versions: [version({}, { until: edited }), version({ limit: 12 }, { from: edited })],
  });
  await bench.send(channelId, [at(9, 9)]);
  await bench.send(channelId, [at(11, 9)]);
  expect(await bench.alarmsOf(channelId)).toMatchObject([
    { raisedAt: at(9, 0).at, endedAt: edited, endReason: 'rule-edited' },
  ]);
});

test('if a channel was outside its limits for a year, a late reading is evaluated from a checkpoint', async () => {
  const { channelId } = await bench.channel({ versions: [version()] });
  for (let day = 0; day < 3; day++)
    await bench.send(
      channelId,
      Array.from({ length: 24 }, (_, hour) => at(day * 1440 + hour * 60, 9)),
    );
  expect(
    await rows('select day::text from alarm_checkpoint where channel_id = $1 order by day', [channelId]),
  ).toHaveLength(2);
  await bench.seal();
  await bench.send(channelId, [at(30, 11)]);
  expect(await bench.alarmsOf(channelId)).toMatchObject([{ since: START, endedAt: null, peak: 11 }]);
  await bench.send(channelId, [at(1530, 5)]);
  expect(await bench.alarmsOf(channelId)).toMatchObject([
    { since: START, endedAt: at(1530, 0).at, peak: 11 },
    { since: at(1560, 0).at, endedAt: null, peak: 9 },
  ]);
});

test('the number of statements does not depend on the number of channels with late readings', async () => {
  const statements = async (count: number) => {
    const channels: number[] = [];
    for (let i = 0; i < count; i++) channels.push((await bench.channel({ versions: [version()] })).channelId);
    await bench.sendAll(channels, [at(0, 5), at(10, 5)]);
    return bench.countStatements(() => bench.sendAll(channels, [at(5, 9)]));
  };
  expect(await statements(40)).toBe(await statements(2));
});
