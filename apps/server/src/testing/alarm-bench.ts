import type { AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import type { LimitRule } from '@isotherm/domain/alarms/alarm-machine';
import type { QuietSpan } from '@isotherm/domain/alarms/quiet-time';
import type { ReferenceEpisode, ReferenceReading } from '@isotherm/domain/alarms/reference';
import type { ChannelRules, RuleVersion } from '@isotherm/domain/alarms/rule-version';
import type { Indicator } from '@isotherm/domain/readings/indicator';
import type { TestDatabase } from '@isotherm/testkit/test-database';
import pg from 'pg';
import { endOfRules } from '../features/alarms/end-rules.ts';
import { createEvaluator, createRuleBook } from '../features/alarms/index.ts';
import { closeRules, touchRules } from '../features/alarms/rules.repo.ts';
import { createCalibrationBook } from '../features/telemetry/calibrated.ts';
import { lockLanes } from '../features/telemetry/locks.ts';
import { preparePartitions } from '../features/telemetry/partitions.ts';
import { createReadingWriter, type ReadingWriter } from '../features/telemetry/reading-writer.ts';
import { sealClosedDays } from '../features/telemetry/seal.ts';
import { createInvalidations } from '../platform/cache/invalidations.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import { type Db, transaction } from '../platform/db/pool.ts';
import { createLog } from '../platform/log.ts';
import { acceptedReadings } from './accepted-readings.ts';

const MIN = 60_000;

/** A version of a rule that is always in force: above 8 without delays, apart from `rule`. */
export const ruleVersion = (rule: Partial<LimitRule>): RuleVersion => ({
  rule: {
    id: 0,
    kind: 'high',
    signal: null,
    level: 2,
    limit: 8,
    recoveryMargin: 0,
    triggerAfterMs: 0,
    recoverAfterMs: 0,
    gapAllowanceMs: 5 * MIN,
    limitIsOutside: false,
    ...rule,
  },
  from: Number.NEGATIVE_INFINITY,
  until: Number.POSITIVE_INFINITY,
  endReason: 'rule-edited',
});

/** A channel with its device and asset. */
export interface BenchChannel {
  channelId: number;
  rules: ChannelRules;
  deviceId: number;
  number: string;
  assetId: number;
}

export interface AlarmBench {
  pool: pg.Pool;
  /** Creates a channel of a new device with these versions of alarm rules; returns their ids. */
  channel(options: {
    versions: readonly RuleVersion[];
    intervalMs?: number;
    quiet?: readonly QuietSpan[];
  }): Promise<BenchChannel>;
  /** Creates another channel of the device of a channel, at the same asset. */
  sibling(channelId: number, sensorIndex: number, indicator: Indicator): Promise<number>;
  /** Adds alarm rules to a channel without any. Returns them with their ids. */
  addRules(channelId: number, versions: readonly RuleVersion[]): Promise<RuleVersion[]>;
  send(channelId: number, readings: readonly ReferenceReading[]): Promise<void>;
  /** Sends the same readings for each of these channels in one batch. */
  sendAll(channelIds: readonly number[], readings: readonly ReferenceReading[]): Promise<void>;
  /** Counts the SQL statements for evaluations during `work`. */
  countStatements(work: () => Promise<void>): Promise<number>;
  /**
   * Ends the rules of a channel at a moment after its readings, and begins new versions with another level.
   * Returns all versions.
   */
  edit(channelId: number, rules: ChannelRules, at: number): Promise<ChannelRules>;
  /** Seals all closed days. */
  seal(): Promise<void>;
  /** Returns alarms in the form of the reference implementation, without refuted ones. */
  alarmsOf(channelId: number): Promise<ReferenceEpisode[]>;
  stop(): Promise<void>;
}

/** Starts storage and evaluation of readings without gateways and server. `clock` is the time of receipt. */
export async function startAlarmBench(
  database: TestDatabase,
  clock: Clock = systemClock,
): Promise<AlarmBench> {
  const pool = new pg.Pool({ connectionString: database.connectionString, max: 6 });
  pool.on('error', () => undefined);
  await preparePartitions(pool, true);
  const log = createLog('silent', false);
  const organization = await one<{ id: number }>(
    `insert into organization (code, name, level, path) values ('ALARM-BENCH', 'Bench', 'org', '/999999999/') returning id`,
  );
  let serial = 90_000_000;
  // Versions that have ended are never cached, so that every replay has to read them.
  const evaluate = createEvaluator(createRuleBook(createInvalidations(true)), () => undefined);
  const writer: ReadingWriter = createReadingWriter({
    pool,
    clock,
    log,
    writers: 2,
    maxQueuedReadings: 1_000_000,
    calibrations: createCalibrationBook(createInvalidations(true)),
    onPositions: async () => undefined,
    onBatch(tx, stored) {
      const counting = new Proxy(tx, {
        get(target, name) {
          if (name === 'query') statements++;
          const value = Reflect.get(target, name);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
      return evaluate(counting, stored);
    },
    onCommitted: () => undefined,
  });
  let statements = 0;
  const deviceOf = new Map<number, number>();

  async function one<T extends object>(text: string, values: unknown[] = []): Promise<T> {
    const { rows } = await pool.query<T>(text, values);
    return rows[0] as T;
  }

  /** Returns the device whose lane (group lock that serialises writes) a channel uses. */
  const laneDeviceOf = async (channelId: number) =>
    (await one<{ device_id: number }>('select device_id from channel where id = $1', [channelId])).device_id;

  /** Writes the readings of several channels in one batch, as if the channels belonged to one device. */
  async function write(channelIds: readonly number[], readings: readonly ReferenceReading[]): Promise<void> {
    const all = channelIds.flatMap((channelId) => readings.map((reading) => ({ channelId, ...reading })));
    await writer.write({
      deviceId: deviceOf.get(channelIds[0] as number) as number,
      bindingVersion: 1,
      receivedAt: clock.now(),
      readings: acceptedReadings(
        all.map(({ channelId }) => channelId),
        all.map(({ at }) => at),
        all.map(({ value }) => value),
        new Set(channelIds.map((id) => deviceOf.get(id) as number)),
      ),
      clock: null,
    });
  }

  return {
    pool,
    async channel({ versions, intervalMs = 60_000, quiet = [] }) {
      const number = String(++serial);
      const asset = await one<{ id: number }>(
        `insert into asset (organization_id, kind, code, name) values ($1, 'refrigerator', $2, $2) returning id`,
        [organization.id, number],
      );
      const device = await one<{ id: number }>(
        `insert into device (organization_id, asset_id, number, name, key_hash, acquisition_interval_ms)
         values ($1, $2, $3, $3, '', $4) returning id`,
        [organization.id, asset.id, number, intervalMs],
      );
      const channel = await one<{ id: number }>(
        `with s as (insert into sensor (device_id, index, serial, name) values ($1, 1, $3, $3) returning id)
         insert into channel (sensor_id, device_id, asset_id, indicator, name)
         select id, $1, $2, 'temperature', 'Air' from s returning id`,
        [device.id, asset.id, number],
      );
      for (const { from, until } of quiet)
        await pool.query(
          `insert into asset_status_change (asset_id, from_status, to_status, deed, reason, changed_by, changed_at, ended_at)
           values ($1, 'normal', 'defrost', 'status', '', '', $2, $3)`,
          [asset.id, new Date(from), new Date(until)],
        );
      const stored = await insertVersions(pool, channel.id, versions);
      deviceOf.set(channel.id, device.id);
      return {
        channelId: channel.id,
        rules: { versions: stored, gaps: [], quiet },
        deviceId: device.id,
        number,
        assetId: asset.id,
      };
    },
    async sibling(channelId, sensorIndex, indicator) {
      const { id, device_id } = await one<{ id: number; device_id: number }>(
        `with first as (select c.*, d.number from channel c join device d on d.id = c.device_id where c.id = $1),
              s as (insert into sensor (device_id, index, serial, name)
                    select device_id, $2::int, number || '-' || $2, number || '-' || $2 from first
                    on conflict (device_id, index) do update set name = excluded.name returning id)
         insert into channel (sensor_id, device_id, asset_id, indicator, name)
         select s.id, first.device_id, first.asset_id, $3, 'Other' from s, first returning id, device_id`,
        [channelId, sensorIndex, indicator],
      );
      deviceOf.set(id, device_id);
      return id;
    },
    addRules: (channelId, versions) =>
      transaction(pool, async (tx) => {
        await lockLanes(tx, [await laneDeviceOf(channelId)]);
        const stored = await insertVersions(tx, channelId, versions);
        await touchRules(tx, [channelId]);
        return stored;
      }),
    send: (channelId, readings) => write([channelId], readings),
    sendAll: write,
    async countStatements(work) {
      const before = statements;
      await work();
      return statements - before;
    },
    async edit(channelId, rules, at) {
      const inForce = rules.versions.filter(({ until }) => until === Number.POSITIVE_INFINITY);
      const opened: RuleVersion[] = [];
      await transaction(pool, async (tx) => {
        await lockLanes(tx, [await laneDeviceOf(channelId)]);
        const plans = await createRuleBook(createInvalidations(true)).of(tx, [channelId]);
        await closeRules(tx, [channelId], new Date(at), 'rule-edited');
        await endOfRules(tx, plans, new Map(inForce.map(({ rule }) => [rule.id, 'rule-edited'])), at);
        for (const version of inForce) {
          const level = ((version.rule.level % 5) + 1) as AlarmLevel;
          const { rows } = await tx.query<{ id: number }>(
            `insert into alarm_rule (channel_id, kind, level, limit_value, recovery_margin, trigger_after_ms,
                                     recover_after_ms, limit_is_outside, signal, other_channel_id, and_channel_ids, schedule, defrost_delay_ms, defrost_channel_id, valid_from)
             select channel_id, kind, $2, limit_value, recovery_margin, trigger_after_ms, recover_after_ms,
                    limit_is_outside, signal, other_channel_id, and_channel_ids, schedule, defrost_delay_ms, defrost_channel_id, $3
               from alarm_rule where id = $1 returning id`,
            [version.rule.id, level, new Date(at)],
          );
          const id = (rows[0] as { id: number }).id;
          opened.push({ ...version, rule: { ...version.rule, id, level }, from: at });
        }
        await touchRules(tx, [channelId]);
      });
      const closed = rules.versions.map((version) =>
        version.until === Number.POSITIVE_INFINITY
          ? { ...version, until: at, endReason: 'rule-edited' as const }
          : version,
      );
      return { ...rules, versions: [...closed, ...opened] };
    },
    async seal() {
      await sealClosedDays({ pool, owner: pool, clock, log, sealAfterMs: 0 });
    },
    async alarmsOf(channelId) {
      const { rows } = await pool.query<ReferenceEpisode & { peakLevel: AlarmLevel }>(
        `select kind, (extract(epoch from since) * 1000)::float8 as since,
                (extract(epoch from raised_at) * 1000)::float8 as "raisedAt",
                (extract(epoch from ended_at) * 1000)::float8 as "endedAt", end_reason as "endReason",
                peak_level as "peakLevel", peak_value as peak, (extract(epoch from peak_at) * 1000)::float8 as "peakAt"
           from alarm where channel_id = $1 and end_reason is distinct from 'late-readings'
          order by since, raised_at, kind collate "C"`,
        [channelId],
      );
      return rows;
    },
    async stop() {
      await writer.stop();
      await pool.end();
      await database.drop();
    },
  };
}

async function insertVersions(
  db: Db,
  channelId: number,
  versions: readonly RuleVersion[],
): Promise<RuleVersion[]> {
  const stored: RuleVersion[] = [];
  const time = (moment: number) => (Number.isFinite(moment) ? new Date(moment) : null);
  for (const version of versions) {
    const { rule } = version;
    const { rows } = await db.query<{ id: number }>(
      `insert into alarm_rule (channel_id, kind, level, limit_value, recovery_margin, trigger_after_ms,
                               recover_after_ms, limit_is_outside, enabled, valid_from, valid_until, end_reason,
                               signal, other_channel_id, schedule, defrost_delay_ms, defrost_channel_id, and_channel_ids)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9::timestamptz is null, coalesce($10::timestamptz, '-infinity'), $9,
               $11, $12, $13, $14, $15, $16, $17) returning id`,
      [
        channelId,
        rule.kind,
        rule.level,
        rule.limit,
        rule.recoveryMargin,
        rule.triggerAfterMs,
        rule.recoverAfterMs,
        rule.limitIsOutside,
        time(version.until),
        time(version.from),
        version.endReason,
        rule.signal,
        rule.signal && 'otherChannelId' in rule.signal ? rule.signal.otherChannelId : null,
        rule.schedule && { ...rule.schedule, holidayDays: undefined },
        rule.defrost?.delayMs ?? 0,
        rule.defrost?.channelId ?? null,
        rule.signal?.and?.map(({ otherChannelId }) => otherChannelId) ?? null,
      ],
    );
    stored.push({ ...version, rule: { ...rule, id: (rows[0] as { id: number }).id } });
  }
  return stored;
}
