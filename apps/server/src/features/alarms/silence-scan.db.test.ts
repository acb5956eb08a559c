import { createTestDatabase } from '@isotherm/testkit/test-database';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { type SilenceBench, startSilenceBench } from '../../testing/silence-bench.ts';

const SECOND = 1_000;
const MIN = 60_000;
const HOUR = 60 * MIN;
const START = Date.UTC(2026, 5, 1);

/** Real time, and the offsets of the processes' wall clock and of the database clock from it. */
const time = { now: START, wall: 0, database: 0 };
let bench: SilenceBench;

beforeEach(async () => {
  Object.assign(time, { now: START, wall: 0, database: 0 });
  bench = await startSilenceBench(
    await createTestDatabase(),
    { now: () => time.now + time.wall },
    { now: () => time.now + time.database },
  );
});
afterEach(() => bench.stop());

type Process = ReturnType<SilenceBench['process']>;

async function beat(process: Process): Promise<void> {
  await process.scan(await process.beat());
}

/**
 * Advances the time by `ms` with regular heartbeats of a process; `during` is called before each heartbeat.
 */
async function run(process: Process, ms: number, during: () => Promise<void> = async () => undefined) {
  for (const end = time.now + ms; time.now < end; ) {
    time.now += 5 * SECOND;
    await during();
    await beat(process);
  }
}

describe('no-data alarms', () => {
  it('after a database outage of 25 minutes, no no-data alarms are raised for devices that reported normally before it', async () => {
    const channels = (await bench.devices(50, 1, 10 * MIN)).flat();
    const process = bench.process();
    await run(process, MIN, () => bench.report(channels));
    time.now += 25 * MIN;
    // The devices report again after the outage, within their interval.
    await run(process, MIN);
    await bench.report(channels);
    await run(process, MIN);
    expect(await bench.open()).toEqual([]);
  });

  it('a no-data alarm is raised after 12 hours although the server is restarted every 11 hours', async () => {
    const [channels = []] = await bench.devices(1, 1, 12 * HOUR);
    await bench.report(channels);
    const silentSince = time.now;
    for (let restarts = 0; restarts < 2; restarts++) {
      const process = bench.process();
      await beat(process);
      // Advances the clock as the heartbeats of 11 hours would.
      time.now += 11 * HOUR;
      await bench.pool.query(
        `update receiving_clock set elapsed_ms = elapsed_ms + $1, beat_at = beat_at + make_interval(secs => $1 / 1000.0)`,
        [11 * HOUR],
      );
      await beat(process);
      if (restarts === 0) expect(await bench.open()).toEqual([]);
    }
    expect(await bench.open()).toMatchObject([
      { subject: 'device', since: silentSince, raisedAt: silentSince + 12 * HOUR },
    ]);
  });

  it('a no-data rule with a schedule raises its alarm only in a span of the schedule, with the full allowed time from its start', async () => {
    const [channels = []] = await bench.devices(1, 1, 10 * MIN);
    await bench.pool.query('update alarm_rule set schedule = $1', [
      {
        spans: [{ days: [1], from: '09:00', until: '09:15' }],
        timeZone: 'Europe/Madrid',
        holidays: 'ignore',
      },
    ]);
    const process = bench.process();
    const pass = async (ms: number) => {
      time.now += ms;
      await bench.pool.query(
        `update receiving_clock set elapsed_ms = elapsed_ms + $1, beat_at = beat_at + make_interval(secs => $1 / 1000.0)`,
        [ms],
      );
      await beat(process);
    };
    await beat(process);
    // 09:00 in Madrid is 07:00 UTC.
    await pass(7 * HOUR - MIN);
    await run(process, 10 * MIN);
    expect(await bench.open()).toEqual([]);
    await run(process, 2 * MIN);
    expect(await bench.open()).toMatchObject([
      { channelId: channels[0], since: START, raisedAt: START + 7 * HOUR + 10 * MIN },
    ]);
    // A device that becomes silent shortly before the end of the span raises no alarm afterwards.
    const [others = []] = await bench.devices(1, 1, 10 * MIN);
    await bench.pool.query(
      'update alarm_rule r set schedule = o.schedule from alarm_rule o where r.schedule is null and o.schedule is not null',
    );
    await run(process, 20 * MIN);
    expect((await bench.open()).map(({ channelId }) => channelId)).not.toContain(others[0]);
  });

  it('if 4,900 of 5,000 channels stop sending, a no-data alarm is raised for each of them', async () => {
    const channels = await bench.devices(5_000, 1, 10 * MIN);
    const process = bench.process();
    await run(process, 9 * MIN);
    await bench.report(channels.slice(0, 100).flat());
    time.now += 5 * SECOND;
    await process.beat();
    for (let i = 0; i < 12; i++) {
      time.now += 5 * SECOND;
      await process.beat();
    }
    await beat(process);
    const open = await bench.open();
    expect(open).toHaveLength(4_900);
    const { rows } = await bench.pool.query(
      'select count(*)::int as due from alarm_due where due_ms <= 605000',
    );
    expect(rows).toEqual([{ due: 0 }]);
  });

  it('each no-data alarm is raised once, however many processes scan at the same time', async () => {
    await bench.devices(300, 2, 2 * MIN);
    const processes = [bench.process(), bench.process(), bench.process()];
    for (let i = 0; i < 30; i++) {
      time.now += 5 * SECOND;
      await Promise.all(processes.map(beat));
    }
    expect(await bench.open()).toHaveLength(300);
  });
});

type Disturbance =
  | { type: 'outage' | 'dead'; at: number; steps: number }
  | { type: 'wall' | 'database'; at: number; jumpMs: number };

const STEPS = 100;
const AFTER = 90 * SECOND;

const disturbance: fc.Arbitrary<Disturbance> = fc.oneof(
  fc.record({
    type: fc.constantFrom('outage' as const, 'dead' as const),
    at: fc.integer({ min: 1, max: STEPS }),
    steps: fc.constantFrom(1, 4, 200),
  }),
  fc.record({
    type: fc.constantFrom('wall' as const, 'database' as const),
    at: fc.integer({ min: 1, max: STEPS }),
    jumpMs: fc.constantFrom(-30 * SECOND, -20 * MIN, 20 * SECOND, 3 * HOUR),
  }),
);

const scenario = fc.record({
  processes: fc.array(fc.integer({ min: -2, max: 2 }), { minLength: 1, maxLength: 3 }),
  disturbances: fc.array(disturbance, { maxLength: 3 }),
  /**
   * Start and number of the steps in which channels do not report: two channels of one device, and the
   * second channel of another device.
   */
  device: fc.tuple(fc.integer({ min: 1, max: STEPS }), fc.integer({ min: 5, max: 70 })),
  channel: fc.tuple(fc.integer({ min: 1, max: STEPS }), fc.integer({ min: 5, max: 70 })),
});

type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

async function play({ processes: skews, disturbances, device, channel }: Scenario): Promise<void> {
  const [silent = [], partial = []] = await bench.devices(2, 2, AFTER);
  const processes = skews.map((skew) => bench.process(skew * SECOND));
  /**
   * Total time in which the server could receive. `heard` contains, for each channel, the value of this total
   * at its last report.
   */
  let received = 0;
  let slack = 10 * SECOND;
  const heard = new Map([...silent, ...partial].map((id) => [id, 0]));
  const lasts = ([from, steps]: readonly number[], step: number) =>
    (from as number) <= step && step < (from as number) + (steps as number);
  for (let step = 1; step <= STEPS; step++) {
    for (const found of disturbances.filter(({ at }) => at === step)) {
      // After a disturbance, a heartbeat counts at most 10 s. If the wall clock is set back, times are
      // uncertain by the amount of the jump.
      slack += 10 * SECOND;
      if (found.type === 'wall') slack += Math.max(0, -found.jumpMs);
      if ('jumpMs' in found && found.type === 'wall') time.wall += found.jumpMs;
      if ('jumpMs' in found && found.type === 'database') time.database += found.jumpMs;
      if ('steps' in found && found.steps > 100) time.now += (found.steps - 1) * 5 * SECOND;
    }
    time.now += 5 * SECOND;
    const gone = disturbances.find(
      (one) => 'steps' in one && one.at <= step && step < one.at + Math.min(one.steps, 4),
    );
    if (gone?.type === 'outage') continue;
    const alive = gone ? processes.slice(1) : processes;
    if (alive.length === 0) continue;
    received += 5 * SECOND;
    const reporting = [
      ...(lasts(device, step) ? [] : silent),
      partial[0] as number,
      ...(lasts(channel, step) ? [] : partial.slice(1)),
    ];
    await bench.report(reporting);
    for (const id of reporting) heard.set(id, received);
    await Promise.all(alive.map(beat));
    const open = await bench.open();
    for (const [ids, subject] of [
      [silent, 'device'],
      [partial.slice(1), 'channel'],
    ] as const) {
      const since = received - Math.max(...ids.map((id) => heard.get(id) as number));
      const own = open.filter(({ channelId }) => ids.includes(channelId));
      const where = `step ${step}, silent for ${since / SECOND} s, slack ${slack / SECOND} s`;
      if (since > AFTER + slack)
        expect(
          own.map((alarm) => alarm.subject),
          where,
        ).toEqual([subject]);
      if (since > 0 && since < AFTER - slack) expect(own, where).toEqual([]);
    }
    expect(open.filter(({ channelId }) => channelId === partial[0])).toEqual([]);
    // In production a reading ends the alarm. Here the test ends the alarm and deletes its state instead.
    const ended = open
      .filter(({ channelId }) => heard.get(channelId) === received)
      .map((one) => one.channelId);
    await bench.pool.query(
      `with gone as (delete from alarm_state) update alarm set ended_at = now(), state = 'ended'
        where channel_id = any($1) and ended_at is null`,
      [ended],
    );
  }
}

test('whatever outages, restarts and clock jumps happen, a no-data alarm is open if and only if nothing was received for the allowed time', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async (given) => {
      Object.assign(time, { now: time.now + HOUR, wall: 0, database: 0 });
      await bench.pool.query('delete from alarm_rule');
      await bench.restart();
      await bench.pool.query(`update alarm set ended_at = now(), state = 'ended' where ended_at is null`);
      await play(given);
    }),
    { numRuns: Number(process.env.RUNS ?? 12) },
  );
}, 300_000);
