import type { AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import type { LimitRule } from '@isotherm/domain/alarms/alarm-machine';
import { isUpper } from '@isotherm/domain/alarms/catalogue';
import type { ReferenceReading } from '@isotherm/domain/alarms/reference';
import type { RuleVersion } from '@isotherm/domain/alarms/rule-version';
import { HOLIDAY_TREATMENTS, type RuleSchedule } from '@isotherm/domain/alarms/schedule';
import { DAY_MS } from '@isotherm/domain/readings/sealed-day';
import { createTestDatabase, type TestDatabase } from '@isotherm/testkit/test-database';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AlarmBench, startAlarmBench } from '../../testing/alarm-bench.ts';
import type { Fault } from '../../testing/broken-connections.ts';
import {
  type IngestCluster,
  type IngestProcesses,
  startIngestCluster,
} from '../../testing/ingest-processes.ts';
import { type MovingDevice, type Place, startMovingDevice } from '../../testing/moving-device.ts';

const SECOND = 1_000;
const MIN = 60_000;
let database: TestDatabase;
let bench: AlarmBench;
let cluster: IngestCluster;
/** Clock of the installation. The test advances it step by step. */
const clock = {
  time: 0,
  now: () => clock.time,
  /**
   * Time since which some process has not yet been notified of a change to a device; null if all have been.
   */
  untoldSince: null as number | null,
};
/** The clock of the writers does not advance until all processes have been notified of the change. */
const writerClock = { now: () => clock.untoldSince ?? clock.time };

beforeAll(async () => {
  database = await createTestDatabase();
  bench = await startAlarmBench(database, clock);
  await bench.pool.query(
    `insert into holiday (organization_id, date, name, changed_by, changed_at)
     select id, date '1970-01-01' + $1::int, 'Holiday', 'test', now() from organization where code = 'ALARM-BENCH'`,
    [HOLIDAY],
  );
  cluster = startIngestCluster(3, database, bench.pool, clock, writerClock);
});
afterAll(async () => {
  await cluster.stop();
  await bench.stop();
});

/** A history that crosses midnight several times, with readings one to seven minutes apart and some longer gaps. */
const START = Math.floor(Date.now() / DAY_MS) * DAY_MS - 4 * DAY_MS - 60 * MIN;

const history = fc
  .array(
    fc.tuple(
      fc.oneof(
        { weight: 12, arbitrary: fc.integer({ min: 1, max: 7 }) },
        { weight: 1, arbitrary: fc.constantFrom(30, 700, 1500) },
      ),
      fc.constantFrom(1, 1.9, 2.4, 5, 5.5, 7.4, 7.8, 8, 8.4, 9.3, 9.3, 10.5),
    ),
    { minLength: 4, maxLength: 40 },
  )
  .map((rows) => {
    let at = START;
    return rows.map(([apart, value]) => {
      at += apart * MIN;
      return { at, value };
    });
  });

const compared = fc.constantFrom<Pick<LimitRule, 'kind' | 'signal' | 'limit'>>(
  { kind: 'high', signal: null, limit: 8 },
  { kind: 'high', signal: null, limit: 8 },
  { kind: 'low', signal: null, limit: 2 },
  { kind: 'fast-rise', signal: { type: 'rate', windowMs: 10 * MIN }, limit: 20 },
  { kind: 'fast-fall', signal: { type: 'rate', windowMs: 10 * MIN }, limit: -20 },
  { kind: 'total-time', signal: { type: 'outside-time', windowMs: 60 * MIN, low: 2, high: 8 }, limit: 10 },
  { kind: 'repeated', signal: { type: 'outside-count', windowMs: 60 * MIN, low: null, high: 8 }, limit: 1 },
  {
    kind: 'expected-high',
    signal: { type: 'forecast', windowMs: 15 * MIN, horizonMs: 10 * MIN },
    limit: 9,
  },
);
/** The second day of the history is a holiday. */
const HOLIDAY = Math.floor(START / DAY_MS) + 1;
const ALL_DAYS = [1, 2, 3, 4, 5, 6, 7] as const;
const schedule = fc.record<RuleSchedule>({
  spans: fc.constantFrom<RuleSchedule['spans']>(
    [{ days: ALL_DAYS, from: '23:20', until: '00:40' }],
    [
      { days: ALL_DAYS, from: '00:10', until: '01:00' },
      { days: ALL_DAYS, from: '23:00', until: '23:50' },
    ],
    [{ days: [7], from: '00:00', until: '00:00' }],
  ),
  timeZone: fc.constantFrom('UTC', 'Europe/Madrid'),
  holidays: fc.constantFrom(...HOLIDAY_TREATMENTS),
  holidayDays: fc.constant(new Set([HOLIDAY])),
});
const limitRule = fc.record({
  schedule: fc.option(schedule),
  compared,
  level: fc.constantFrom<AlarmLevel>(1, 2, 3, 4, 5),
  offset: fc.constantFrom(0, 0.4, 1.5),
  recoveryMargin: fc.constantFrom(0, 0.5, 3),
  triggerAfterMs: fc.constantFrom(0, 3 * MIN, 10 * MIN),
  recoverAfterMs: fc.constantFrom(0, 0, 5 * MIN, 12 * MIN),
  limitIsOutside: fc.boolean(),
});
type Rule = typeof limitRule extends fc.Arbitrary<infer T> ? T : never;

const place = fc.record({
  rules: fc.array(limitRule, { minLength: 1, maxLength: 3 }),
  quiet: fc.array(fc.tuple(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 1, max: 60 })), {
    maxLength: 1,
  }),
});

function versionOf(rule: Rule, intervalMs: number): RuleVersion {
  return {
    rule: {
      id: 0,
      kind: rule.compared.kind,
      signal: rule.compared.signal,
      schedule: rule.schedule,
      level: rule.level,
      limit: rule.compared.limit + (isUpper(rule.compared.kind) ? rule.offset : -rule.offset),
      recoveryMargin: rule.recoveryMargin,
      triggerAfterMs: rule.triggerAfterMs,
      recoverAfterMs: rule.recoverAfterMs,
      gapAllowanceMs: Math.max(2 * intervalMs, 5 * MIN),
      limitIsOutside: rule.limitIsOutside,
    },
    from: Number.NEGATIVE_INFINITY,
    until: Number.POSITIVE_INFINITY,
    endReason: 'rule-edited',
  };
}

const deed = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('edit-rules' as const, 'unbind' as const, 'replace' as const) },
  { weight: 3, arbitrary: fc.constantFrom('bind-first' as const, 'bind-second' as const) },
  { weight: 1, arbitrary: fc.constantFrom('seal' as const, 'restart' as const) },
);

const fault: fc.Arbitrary<Fault> = fc.record({
  at: fc.oneof(fc.constantFrom('commit' as const, 'committed' as const), fc.integer({ min: 1, max: 12 })),
  isFatal: fc.boolean(),
});

/** Events that happen while messages are being sent; one record per turn. */
const turn = fc.record({
  /** Number of messages sent at once. */
  messages: fc.integer({ min: 1, max: 4 }),
  /** Number of readings in a message. */
  size: fc.integer({ min: 1, max: 12 }),
  /** Index of the process that receives the first message; the next messages go to the next processes. */
  process: fc.nat(2),
  /** True if all processes are notified of the changes of bindings in this turn. */
  isTold: fc.boolean(),
  /** True if every message is sent a second time, through another process. */
  isSentTwice: fc.boolean(),
  fault: fc.option(fault, { freq: 3, nil: null }),
});
type Turn = typeof turn extends fc.Arbitrary<infer T> ? T : never;

const arrival = history.chain((readings) =>
  fc.record({
    readings: fc.constant(readings),
    places: fc.tuple(place, place),
    intervalMs: fc.constantFrom(MIN, 4 * MIN, 20 * MIN),
    /**
     * Delay of the arrival of each reading in minutes, counted from its measurement or from the end of the
     * history.
     */
    delays: fc.oneof(
      fc.constant(readings.map(() => 0)),
      fc.array(fc.constantFrom(0, 0, 1, 4, 20, 90, 1500), {
        minLength: readings.length,
        maxLength: readings.length,
      }),
    ),
    order: fc.oneof(
      fc.constant(null),
      fc.constant(readings.map((_, i) => -i)),
      fc.shuffledSubarray(
        readings.map((_, i) => i),
        { minLength: readings.length },
      ),
    ),
    turns: fc.array(turn, { minLength: 1, maxLength: 6 }),
    deeds: fc.uniqueArray(fc.tuple(fc.integer({ min: 3, max: 220 }), deed), {
      maxLength: 5,
      selector: ([minute]) => minute,
    }),
    processes: fc.integer({ min: 1, max: 3 }),
  }),
);
type Arrival = typeof arrival extends fc.Arbitrary<infer T> ? T : never;

interface Arriving {
  at: number;
  reading: ReferenceReading;
}

/**
 * Readings in order of arrival: either each is delayed, or all arrive after the end of the history, in any
 * order.
 */
function arrivingOf({ readings, delays, order }: Arrival): Arriving[] {
  const end = (readings.at(-1) as ReferenceReading).at;
  return readings
    .map((reading, i) => ({
      reading,
      at: order
        ? end + MIN + (readings.length + (order[i] as number)) * SECOND
        : reading.at + (delays[i] as number) * MIN,
    }))
    .sort((a, b) => a.at - b.at);
}

async function expectArrival(given: Arrival): Promise<void> {
  clock.time = START - 60 * MIN;
  clock.untoldSince = null;
  const toPlace = ({ rules, quiet }: Arrival['places'][number]): Place => ({
    versions: rules.map((rule) => versionOf(rule, given.intervalMs)),
    quiet: quiet.map(([from, minutes]) => ({
      from: START + from * MIN,
      until: START + (from + minutes) * MIN,
    })),
  });
  const places: [Place, Place] = [toPlace(given.places[0]), toPlace(given.places[1])];
  const processes = cluster.firstOf(given.processes);
  const device = await startMovingDevice(bench, places, given.intervalMs, clock, (numbers) => {
    // The process that made the change is notified at once.
    processes.tell([0], numbers);
    clock.untoldSince = clock.time;
  });
  const tellAll = () => {
    processes.tell([1, 2], device.numbers);
    clock.untoldSince = null;
  };
  const waiting = arrivingOf(given);
  const deeds = given.deeds
    .map(([minute, name]) => ({ at: START + minute * MIN + 25 * SECOND, name }))
    .sort((a, b) => a.at - b.at);
  for (let i = 0; waiting.length > 0 || deeds.length > 0; i++) {
    const { messages, size, isTold, ...how } = given.turns[i % given.turns.length] as Turn;
    const next = deeds[0]?.at ?? Number.POSITIVE_INFINITY;
    const due = waiting.findIndex(({ at }) => at > next);
    const some = waiting.splice(0, Math.min(messages * size, due < 0 ? waiting.length : due));
    const isDeedNext = deeds.length > 0 && !waiting.some(({ at }) => at <= next);
    clock.time = Math.max(clock.time, isDeedNext ? next : (some.at(-1)?.at ?? clock.time));
    if (isTold || isDeedNext) tellAll();
    const readings = some.map(({ reading }) => reading);
    await Promise.all([
      sendAll(device, processes, readings, size, how),
      isDeedNext && perform(deeds.shift()?.name, device, processes, how.process),
    ]);
    device.received(readings);
    await expectReference(device);
  }
  // Sending everything again changes nothing.
  await sendAll(device, processes, given.readings, 50, given.turns[0] as Turn);
  await expectReference(device);
  const { found, expected } = await device.readings();
  expect(found).toEqual(expected);
}

async function expectReference(device: MovingDevice): Promise<void> {
  const { found, expected } = await device.alarms();
  expect(found).toEqual(expected);
}

/** Sends readings in messages of their devices, all concurrently. */
async function sendAll(
  device: MovingDevice,
  processes: IngestProcesses,
  readings: readonly ReferenceReading[],
  size: number,
  { process, isSentTwice, fault }: Pick<Turn, 'process' | 'isSentTwice' | 'fault'>,
): Promise<void> {
  const sending: Promise<void>[] = [];
  processes.breakNext(process, fault);
  for (const number of device.numbers) {
    const own = readings.filter(({ at }) => device.measuredBy(at) === number);
    for (let i = 0; i < own.length; i += size) {
      const some = own.slice(i, i + size);
      const payload = {
        sentAt: clock.now(),
        readings: some.map(({ at, value }) => ({ channel: 'temperature-1', at, value })),
      };
      for (let times = isSentTwice ? 2 : 1; times > 0; times--)
        sending.push(
          processes.send(process + sending.length, number, payload).then((accepted) => {
            expect(accepted).toBe(some.length);
          }),
        );
    }
  }
  await Promise.all(sending);
  processes.breakNext(process, null);
}

async function perform(
  name: Arrival['deeds'][number][1] | undefined,
  device: MovingDevice,
  processes: IngestProcesses,
  process: number,
): Promise<void> {
  if (name === 'seal') await bench.seal();
  else if (name === 'restart') await processes.restart(process);
  else if (name === 'edit-rules') await device.editRules();
  else if (name === 'replace') await device.replace();
  else if (name !== undefined) {
    if (device.isBound()) await device.unbind();
    clock.time += 10 * SECOND;
    if (name !== 'unbind') await device.bind(name === 'bind-first' ? 0 : 1);
  }
}

test('with any order of arrival, changes of bindings and failures, the alarms equal those of the reference implementation', async () => {
  await fc.assert(fc.asyncProperty(arrival, expectArrival), { numRuns: Number(process.env.RUNS ?? 50) });
}, 1_800_000);
