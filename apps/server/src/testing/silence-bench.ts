import type { TestDatabase } from '@isotherm/testkit/test-database';
import pg from 'pg';
import { createReceivingClock } from '../features/alarms/receiving-clock.ts';
import { createRuleBook } from '../features/alarms/rule-book.ts';
import { createSilenceScan } from '../features/alarms/silence.ts';
import { preparePartitions } from '../features/telemetry/partitions.ts';
import { createInvalidations } from '../platform/cache/invalidations.ts';
import { type Clock, systemClock } from '../platform/clock.ts';

/** Test setup of devices with no-data rules, and processes that scan for silent devices. */
export interface SilenceBench {
  pool: pg.Pool;
  /**
   * Creates devices with a no-data rule for each channel, all of which have just reported. Returns the
   * channels of each device.
   */
  devices(count: number, channelsEach: number, afterMs: number): Promise<number[][]>;
  /** Sends a report of these channels now. */
  report(channelIds: readonly number[]): Promise<void>;
  /** Starts another process. `skewMs` is the offset of its clock. */
  process(skewMs?: number): { beat(): Promise<number>; scan(now: number): Promise<void> };
  open(): Promise<{ channelId: number; subject: string; since: number; raisedAt: number }[]>;
  /** Resets the receiving clock (the time during which the server was receiving). */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts the setup. `wall` is the time of receipt; `databaseTime` advances the receiving clock (the time
 * during which the server was receiving); both in epoch ms.
 */
export async function startSilenceBench(
  database: TestDatabase,
  wall: Clock,
  databaseTime: Clock,
): Promise<SilenceBench> {
  const pool = new pg.Pool({ connectionString: database.connectionString, max: 6 });
  pool.on('error', () => undefined);
  await preparePartitions(pool, true);
  await restart();
  const { rows } = await pool.query<{ id: number }>(
    `insert into organization (code, name, level, path) values ('SILENCE', 'Bench', 'org', '/silence/') returning id`,
  );
  const organizationId = rows[0]?.id;
  let last = 80_000_000;

  async function report(channelIds: readonly number[]): Promise<void> {
    await pool.query(
      `insert into channel_latest (channel_id, measured_at, received_at, value)
       select id, to_timestamp($2::float8 / 1000), to_timestamp($3::float8 / 1000), 5 from unnest($1::int4[]) as id
       on conflict (channel_id) do update set measured_at = excluded.measured_at, received_at = excluded.received_at`,
      [channelIds, databaseTime.now(), wall.now()],
    );
  }

  async function restart(): Promise<void> {
    await pool.query('update receiving_clock set elapsed_ms = 0, beat_at = to_timestamp($1::float8 / 1000)', [
      databaseTime.now(),
    ]);
    await pool.query('delete from receiving_span');
    await pool.query(
      'insert into receiving_span (clock_from, wall_from) values (0, to_timestamp($1::float8 / 1000))',
      [wall.now()],
    );
  }

  return {
    pool,
    report,
    restart,
    async devices(count, channelsEach, afterMs) {
      const first = last + 1;
      last += count;
      const made = await pool.query<{ device_id: number; channels: number[] }>(
        `with d as (
           insert into device (organization_id, number, name, key_hash, acquisition_interval_ms)
           select $1, n::text, n::text, '', 60000 from generate_series($2::int, $3::int) as n returning id, number
         ), s as (
           insert into sensor (device_id, index, serial, name) select id, 1, number, number from d returning id, device_id
         ), c as (
           insert into channel (sensor_id, device_id, indicator, name)
           select id, device_id, indicator, indicator
             from s cross join unnest((array['temperature', 'humidity', 'door'])[1:$4]) as indicator
           returning id, device_id
         )
         select device_id, array_agg(id order by id) as channels from c group by device_id order by device_id`,
        [organizationId, first, last, channelsEach],
      );
      const channels = made.rows.map((row) => row.channels);
      await report(channels.flat());
      await pool.query(
        `insert into alarm_rule (channel_id, kind, level, trigger_after_ms)
         select id, 'no-data', 2, $2 from unnest($1::int4[]) as id`,
        [channels.flat(), afterMs],
      );
      return channels;
    },
    process(skewMs = 0) {
      const clock = { now: () => wall.now() + skewMs };
      const receiving = createReceivingClock({
        pool,
        clock,
        databaseTime: async () => databaseTime.now(),
      });
      const scan = createSilenceScan(pool, createRuleBook(createInvalidations(true)), clock, () => undefined);
      return { beat: receiving.beat, scan: scan.scan };
    },
    async open() {
      const found = await pool.query<{ channelId: number; subject: string; since: number; raisedAt: number }>(
        `select channel_id as "channelId", subject, (extract(epoch from since) * 1000)::float8 as since,
                (extract(epoch from raised_at) * 1000)::float8 as "raisedAt"
           from alarm where ended_at is null order by channel_id`,
      );
      return found.rows;
    },
    async stop() {
      await pool.end();
      await database.drop();
    },
  };
}

/**
 * Measures the median time of a scan without due rules, for a number of channels, in ms: `silence_scan_ms`.
 */
export async function measureSilenceScan(database: TestDatabase, channels: number): Promise<number> {
  const bench = await startSilenceBench(database, systemClock, systemClock);
  try {
    await bench.devices(channels, 1, 600_000);
    const scanner = bench.process();
    // The first scan is not measured, because it also checks new rules, which happens only once.
    await scanner.scan(await scanner.beat());
    const times: number[] = [];
    for (let i = 0; i < 21; i++) {
      const now = await scanner.beat();
      const begun = performance.now();
      await scanner.scan(now);
      times.push(performance.now() - begun);
    }
    return times.sort((a, b) => a - b)[10] as number;
  } finally {
    await bench.stop();
  }
}
