import { read, utils } from '@e965/xlsx';
import type { AlarmAnalysis } from '@isotherm/contracts/alarm-history';
import type { Alarm } from '@isotherm/contracts/alarms';
import { ALARM_REASONS, type AlarmReason } from '@isotherm/domain/alarms/acknowledgement';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Asking, asking } from '../../../testing/asking.ts';
import { orderedFile } from '../../../testing/ordered-file.ts';
import { fridge, type Session, startTestServer, type TestServer } from '../../../testing/test-server.ts';

const ZONES = {
  '37000001': 'Asia/Kolkata',
  '37000002': 'America/New_York',
  '37000003': 'Pacific/Kiritimati',
  '37000004': 'Etc/GMT+12',
} as const;
const NUMBERS = Object.keys(ZONES) as (keyof typeof ZONES)[];
type Zones = Readonly<Record<keyof typeof ZONES, string>>;
/** Zones that differ from UTC by whole hours. */
const EVEN_ZONES: Zones = { ...ZONES, '37000001': 'Asia/Tokyo' };
/** Lord Howe Island differs by half an hour in summer only. */
const HALF_YEAR_ZONES: Zones = { ...ZONES, '37000001': 'Australia/Lord_Howe' };
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** The period includes the night in which daylight-saving time ends in New York. */
const TO = Date.UTC(2026, 10, 20);

interface Stored {
  id: number;
  number: keyof typeof ZONES;
  level: 1 | 2 | 3 | 4 | 5;
  raisedAt: number;
  /** Null if nobody has acknowledged the alarm. */
  delayS: number | null;
  reason: AlarmReason | null;
}

let server: TestServer;
let manager: Session;
let asked: Asking;
let stored: Stored[] = [];

beforeAll(async () => {
  server = await startTestServer();
  manager = await server.logIn('demo.manager');
  asked = asking(server, manager);
  await server.provision(
    manager,
    NUMBERS.map((number) => fridge(number)),
  );
  await setZones(ZONES);
});
afterAll(() => server.stop());

const alarms = fc.array(
  fc.record({
    number: fc.constantFrom(...NUMBERS),
    level: fc.constantFrom(1 as const, 2 as const, 3 as const, 4 as const, 5 as const),
    raisedAt: fc
      .oneof(
        fc.integer({ min: -40 * DAY, max: DAY }),
        fc.integer({ min: -370 * DAY, max: -40 * DAY }),
        // Near the borders of hours, days and steps.
        fc
          .tuple(fc.integer({ min: -9_000, max: 24 }), fc.integer({ min: -1, max: 1 }))
          .map(([hours, ms]) => hours * HOUR + ms),
      )
      .map((before) => TO + before),
    delayS: fc.option(fc.integer({ min: 0, max: 200_000 })),
    reason: fc.option(fc.constantFrom(...ALARM_REASONS)),
  }),
  { minLength: 1, maxLength: 30 },
);

async function setZones(zones: Zones): Promise<void> {
  for (const number of NUMBERS)
    await server.pool.query(
      `update asset s set time_zone = $2 from device d where d.number = $1 and s.id = d.asset_id`,
      [number, zones[number]],
    );
}

/** Replaces the alarms of the assets. */
async function store(given: readonly Omit<Stored, 'id'>[]): Promise<void> {
  await server.pool.query(
    `delete from alarm a using channel c, device d where c.id = a.channel_id and d.id = c.device_id and d.number = any($1)`,
    [NUMBERS],
  );
  const { rows } = await server.pool.query<{ id: number; n: number }>(
    `with given as (
       select * from jsonb_to_recordset($1) as g(n int, number text, level smallint, "raisedAt" float8, "delayS" float8, reason text)
     ), added as (
       insert into alarm (channel_id, rule_id, asset_id, organization_id, kind, level, peak_level, state, since, raised_at,
                          ended_at, end_reason, trigger_after_ms, late, recorded_at, acknowledged_at, acknowledged_level,
                          acknowledged_reason, limit_value, recovery_margin, value, peak_value, peak_at)
       select c.id, g.n, s.id, s.organization_id, 'high', g.level, g.level, 'ended', to_timestamp(g."raisedAt" / 1000),
              to_timestamp(g."raisedAt" / 1000), to_timestamp(g."raisedAt" / 1000), 'recovered', 0, false,
              to_timestamp(g."raisedAt" / 1000), to_timestamp(g."raisedAt" / 1000 + g."delayS"),
              case when g."delayS" is not null then g.level end, g.reason, 8, 0.5, 9, 9, to_timestamp(g."raisedAt" / 1000)
         from given g join device d on d.number = g.number join asset s on s.id = d.asset_id
         join channel c on c.device_id = d.id and c.indicator = 'temperature'
       returning id, rule_id
     ) select id, rule_id::int as n from added`,
    [JSON.stringify(given.map((alarm, n) => ({ n, ...alarm })))],
  );
  stored = rows.map(({ id, n }) => ({ ...(given[n] as Omit<Stored, 'id'>), id }));
}

const analyze = (query: Record<string, string>) =>
  asked.ask<AlarmAnalysis>({ path: '/api/alarm/analysis', query });

/** Weekday (0: Monday) and hour of an alarm in the time zone of its asset. */
function localOf({ number, raisedAt }: Stored, zones: Zones = ZONES): { day: number; hour: number } {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone: zones[number],
    weekday: 'short',
    hour: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(raisedAt);
  const part = (type: string) => parts.find((each) => each.type === type)?.value ?? '';
  return {
    day: ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].indexOf(part('weekday')),
    hour: Number(part('hour')),
  };
}

/** Whether a zone differs from UTC by other than whole hours in the period. */
function isUneven(zones: Zones, from: number, to: number): boolean {
  return Object.values(zones).some((timeZone) => {
    const minutes = new Intl.DateTimeFormat('en-GB', { timeZone, minute: '2-digit' });
    for (let at = from - (from % HOUR); at <= to; at += DAY)
      if (Number(minutes.format(at)) !== 0) return true;
    return Number(minutes.format(to - (to % HOUR))) !== 0;
  });
}

const count = (some: readonly Stored[], matches: (alarm: Stored) => boolean) => some.filter(matches).length;
const byLevel = (some: readonly Stored[]) =>
  [1, 2, 3, 4, 5].map((level) => count(some, (alarm) => alarm.level === level));

afterEach(() => setZones(ZONES));

test('whatever the alarms and the period, the analysis and the list equal a count of the alarms one by one', async () => {
  await fc.assert(
    fc.asyncProperty(
      alarms,
      fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 90, max: 366 })),
      fc.option(fc.constantFrom(1, 2, 3, 4, 5)),
      fc.constantFrom('raised', 'level'),
      fc.constantFrom(ZONES, EVEN_ZONES, HALF_YEAR_ZONES),
      fc.oneof(fc.constant(0), fc.integer({ min: -DAY, max: DAY })),
      async (given, days, level, sort, zones, shiftMs) => {
        await setZones(zones);
        await store(given);
        const to = TO + shiftMs;
        const from = to - days * DAY;
        const query = {
          from: new Date(from).toISOString(),
          to: new Date(to).toISOString(),
          ...(level === null ? {} : { level: String(level) }),
        };
        const wanted = stored.filter(
          (alarm) =>
            alarm.raisedAt >= from && alarm.raisedAt < to && (level === null || alarm.level === level),
        );
        const analysis = await analyze(query);
        expect(analysis).toMatchObject({
          total: wanted.length,
          levels: byLevel(wanted),
          totalBefore: count(
            stored,
            (alarm) =>
              alarm.raisedAt >= from - days * DAY &&
              alarm.raisedAt < from &&
              (level === null || alarm.level === level),
          ),
          assetCount: new Set(wanted.map(({ number }) => number)).size,
        });
        const hours = Array.from({ length: 7 }, () => Array.from({ length: 24 }, () => 0));
        for (const alarm of wanted) {
          const { day, hour } = localOf(alarm, zones);
          (hours[day] as number[])[hour] = ((hours[day] as number[])[hour] as number) + 1;
        }
        expect(analysis.hours).toEqual(hours);
        const stepMs = analysis.stepDays * DAY;
        const slotMs = isUneven(zones, from, to) ? HOUR / 4 : HOUR;
        const begin = Math.floor(from / slotMs) * slotMs;
        const last = Math.ceil((to - from) / stepMs) - 1;
        expect(analysis.steps.map(({ levels }) => levels)).toEqual(
          Array.from({ length: last + 1 }, (_, i) =>
            byLevel(
              wanted.filter(({ raisedAt }) => Math.min(Math.floor((raisedAt - begin) / stepMs), last) === i),
            ),
          ),
        );
        expect(new Map(analysis.reasons.map(({ reason, levels }) => [reason, levels]))).toEqual(
          new Map(
            [...new Set(wanted.map(({ reason }) => reason))].map((reason) => [
              reason,
              byLevel(wanted.filter((alarm) => alarm.reason === reason)),
            ]),
          ),
        );
        for (const { level: each, acknowledged, open, medianS } of analysis.acknowledgement) {
          const ofLevel = wanted.filter((alarm) => alarm.level === each);
          const delays = ofLevel
            .flatMap(({ delayS }) => (delayS === null ? [] : [delayS]))
            .sort((a, b) => a - b);
          expect([acknowledged, open]).toEqual([delays.length, ofLevel.length - delays.length]);
          const median = delays[Math.ceil(delays.length / 2) - 1] ?? null;
          if (median === null) expect(medianS).toBeNull();
          else expect(Math.abs((medianS as number) - median)).toBeLessThanOrEqual(0.1 + (median + 1) * 0.011);
        }
        const pages: number[] = [];
        for (let page = 1; pages.length < wanted.length; page++) {
          const { items, total } = await asked.ask<{ items: Alarm[]; total: number }>({
            path: '/api/alarm/history',
            query: { ...query, sort, page: String(page), pageSize: '7' },
          });
          expect(total).toBe(wanted.length);
          expect(items.length).toBeGreaterThan(0);
          pages.push(...items.map(({ id }) => id));
        }
        for (const { raisedAt, ...alarm } of wanted.slice(0, 3)) {
          const { day, hour } = localOf({ ...alarm, raisedAt }, zones);
          const { items, total } = await asked.ask<{ items: Alarm[]; total: number }>({
            path: '/api/alarm/history',
            query: { ...query, weekday: String(day + 1), hour: String(hour) },
          });
          const sameHour = wanted.filter((other) => {
            const local = localOf(other, zones);
            return local.day === day && local.hour === hour;
          });
          expect(new Set(items.map(({ id }) => id))).toEqual(new Set(sameHour.map(({ id }) => id)));
          expect(total).toBe(sameHour.length);
        }
        const inOrder = [...wanted].sort(
          (a, b) => (sort === 'level' ? b.level - a.level : 0) || b.raisedAt - a.raisedAt || b.id - a.id,
        );
        expect(pages).toEqual(inOrder.map(({ id }) => id));
      },
    ),
    { numRuns: Number(process.env.RUNS ?? 40) },
  );
});

const base = { number: '37000001', level: 3, raisedAt: TO - DAY, delayS: null, reason: null } as const;
const period = { from: new Date(TO - 30 * DAY).toISOString(), to: new Date(TO).toISOString() };

test('the list can be filtered by weekday and hour, reason, acknowledgement, and a search for asset or device', async () => {
  await store([
    { ...base, delayS: 60, reason: 'defrost' },
    { ...base, raisedAt: TO - 3 * DAY },
    { ...base, number: '37000002', raisedAt: TO - 5 * DAY },
  ]);
  const [first, second, third] = stored as [Stored, Stored, Stored];
  const found = async (query: Record<string, string>) => {
    const { items } = await asked.ask<{ items: Alarm[] }>({
      path: '/api/alarm/history',
      query: { ...period, ...query },
    });
    return items.map(({ id }) => id);
  };
  const { day, hour } = localOf(second);
  expect(await found({})).toEqual([first.id, second.id, third.id]);
  expect(await found({ weekday: String(day + 1), hour: String(hour) })).toEqual([second.id]);
  expect(await found({ reason: 'defrost' })).toEqual([first.id]);
  expect(await found({ reason: 'none' })).toEqual([second.id, third.id]);
  expect(await found({ acknowledged: 'false', order: 'asc' })).toEqual([third.id, second.id]);
  expect(await found({ search: 'fridge 37000002' })).toEqual([third.id]);
  expect(await found({ search: '37000001' })).toEqual([first.id, second.id]);
  expect(await found({ search: 'absent' })).toEqual([]);
});

test('a period that is too long or ends before its start, and an organisation out of scope, are refused', async () => {
  const refused = async (query: Record<string, string>) =>
    (await server.call({ path: '/api/alarm/history', query, session: manager })).status;
  expect(await refused({ from: period.to, to: period.from })).toBe('alarm.period');
  expect(await refused({ from: '2020-01-01T00:00:00Z', to: period.to })).toBe('alarm.period');
  expect(await refused({ ...period, organizationId: '999999' })).toBe('organization.not_found');
});

test('the export contains the alarms of the period and leaves an entry in the audit log', async () => {
  await store([base, { ...base, raisedAt: TO - 50 * DAY }]);
  const sheet = await asked.ask<{ rows: number; fileName: string }>({
    path: '/api/alarm/history/export',
    query: period,
  });
  expect(sheet).toMatchObject({ rows: 1, fileName: 'alarm-history.xlsx' });
});

test('an ordered export contains every alarm of the period', async () => {
  await store([base, { ...base, raisedAt: base.raisedAt - DAY }, { ...base, raisedAt: TO - 50 * DAY }]);
  const { bytes } = await orderedFile(server, manager, '/api/alarm/history/export/order', period);
  const book = read(bytes);
  const rows = utils.sheet_to_json<string[]>(book.Sheets['Alarm history'] as never, { header: 1 });
  expect(rows).toHaveLength(3);
  expect(rows[0]?.[0]).toBe('Level');
});
