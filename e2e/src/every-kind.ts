import type { AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import type { LimitRule } from '@isotherm/domain/alarms/alarm-machine';
import type { LimitKind } from '@isotherm/domain/alarms/catalogue';
import {
  type ReferenceEpisode,
  type ReferenceReading,
  referenceEpisodes,
} from '@isotherm/domain/alarms/reference';
import type { Indicator } from '@isotherm/domain/readings/indicator';
import fc from 'fast-check';
import { queryDatabase } from './stored.ts';

const MIN = 60_000;
/** The gap allowance of devices with a short acquisition interval (decision 7). */
const GAP_ALLOWANCE_MS = 5 * MIN;

/** Channels of a test device, by `<indicator>-<sensor>`, each with the values between which it moves. */
const CHANNELS = [
  { indicator: 'temperature', sensor: 1, low: -2, high: 14 },
  { indicator: 'temperature', sensor: 2, low: 0, high: 12 },
  { indicator: 'humidity', sensor: 1, low: 20, high: 90 },
  { indicator: 'battery', sensor: 1, low: 0, high: 60 },
  { indicator: 'power', sensor: 1, low: 0, high: 1 },
  { indicator: 'door', sensor: 1, low: 0, high: 1 },
  { indicator: 'illuminance', sensor: 1, low: 0, high: 300 },
  { indicator: 'oxygen', sensor: 1, low: 10, high: 24 },
  { indicator: 'carbon-dioxide', sensor: 1, low: 300, high: 3_000 },
  { indicator: 'slope', sensor: 1, low: -60, high: 60 },
  { indicator: 'acceleration', sensor: 1, low: 0, high: 12 },
  { indicator: 'amplitude', sensor: 1, low: 0, high: 40 },
] as const satisfies readonly { indicator: Indicator; sensor: number; low: number; high: number }[];
const NAMES = CHANNELS.map(({ indicator, sensor }) => `${indicator}-${sensor}`);
export type ChannelName = string;

/** A rule before its channel is known; shares are of the range in which the channel moves. */
interface RuleShape {
  channel: ChannelName;
  kind: LimitKind;
  level: AlarmLevel;
  share: number;
  recoveryShare: number;
  triggerAfterMs: number;
  recoverAfterMs: number;
  limitIsOutside: boolean;
  windowMs: number;
}

const delays = {
  triggerAfterMs: fc.constantFrom(0, 40_000, 3 * MIN, 10 * MIN),
  recoverAfterMs: fc.constantFrom(0, 0, 2 * MIN),
  limitIsOutside: fc.boolean(),
  recoveryShare: fc.constantFrom(0, 0, 0.1),
};
const shapeOf = (channel: ChannelName, kinds: readonly LimitKind[]): fc.Arbitrary<RuleShape[]> =>
  fc.array(
    fc.record({
      ...delays,
      channel: fc.constant(channel),
      kind: fc.constantFrom(...kinds),
      level: fc.constantFrom(1 as const, 2 as const, 3 as const, 4 as const, 5 as const),
      share: fc.double({ min: 0.2, max: 0.8, noNaN: true }),
      windowMs: fc.constantFrom(5 * MIN, 20 * MIN),
    }),
    { minLength: 1, maxLength: 3 },
  );

const LIMITS: readonly LimitKind[] = ['high', 'low'];
const ALL: readonly LimitKind[] = [
  'high',
  'low',
  'fast-rise',
  'fast-fall',
  'total-time',
  'repeated',
  'difference',
  'expected-high',
  'expected-low',
];
/** Rules of all kinds for the first temperature, and limits of every other quantity. */
const shapes = fc
  .tuple(...NAMES.map((name) => shapeOf(name, name === 'temperature-1' ? ALL : LIMITS)))
  .map((each) => each.flat());

/** A value at each moment: a slow walk within the range, with jumps; switches change now and then. */
const walkOf = ({ low, high }: (typeof CHANNELS)[number], count: number): fc.Arbitrary<number[]> =>
  fc
    .array(fc.tuple(fc.integer({ min: -10, max: 10 }), fc.integer({ min: 0, max: 99 })), {
      minLength: count,
      maxLength: count,
    })
    .map((moves) => {
      const isSwitch = low === 0 && high === 1;
      let share = 0.5;
      return moves.map(([move, chance]) => {
        if (isSwitch) {
          if (chance < 4) share = share === 1 ? 0 : 1;
          else if (share !== 1) share = 0;
        } else share = Math.min(1, Math.max(0, chance < 2 ? (move + 10) / 20 : share + move / 120));
        // JSON has no negative zero, so the server would get another value than the reference.
        return Math.round((low + share * (high - low)) * 10) / 10 || 0;
      });
    });

export interface KindsDevice {
  number: string;
  shapes: readonly RuleShape[];
  /** All readings by the name of their channel, in order. */
  readings: ReadonlyMap<ChannelName, readonly ReferenceReading[]>;
  moments: readonly number[];
}

/** Random devices with rules of every kind and their histories of `count` moments. The same seed gives the same devices. */
export function randomDevices(
  seed: number,
  numbers: readonly string[],
  startAt: number,
  count: number,
): KindsDevice[] {
  const gaps = fc.array(
    fc.oneof({ weight: 60, arbitrary: fc.constant(20_000) }, { weight: 1, arbitrary: fc.constant(12 * MIN) }),
    { minLength: count, maxLength: count },
  );
  const device = fc.tuple(shapes, gaps, ...CHANNELS.map((channel) => walkOf(channel, count)));
  return fc.sample(device, { seed, numRuns: numbers.length }).map(([given, apart, ...walks], at) => {
    let moment = startAt;
    const moments = apart.map((ms) => {
      moment += ms;
      return moment;
    });
    const readings = new Map(
      NAMES.map((name, channel) => [
        name,
        moments.map((each, i) => ({ at: each, value: walks[channel]?.[i] as number })),
      ]),
    );
    return { number: numbers[at] as string, shapes: given, readings, moments };
  });
}

/** Sensors of a device for its registration, without rules. */
export const kindsSensors = (number: string) =>
  [1, 2].map((sensor) => ({
    index: sensor,
    serial: `${number}-${sensor}`,
    name: `Sensor ${sensor}`,
    channels: CHANNELS.filter((channel) => channel.sensor === sensor).map(({ indicator }) => ({
      indicator,
      name: indicator,
    })),
  }));

/** Rule as the reference evaluates it; ids of channels are those of the database. */
function ruleOf(shape: RuleShape, otherChannelId: number): LimitRule {
  const { low, high } = CHANNELS[NAMES.indexOf(shape.channel)] as (typeof CHANNELS)[number];
  const limit = Math.round((low + shape.share * (high - low)) * 10) / 10;
  const { windowMs } = shape;
  const bounds = { low: null, high: limit };
  const [signal, compared] = (
    {
      high: [null, limit],
      low: [null, limit],
      'fast-rise': [{ type: 'rate', windowMs }, 30 * shape.share],
      'fast-fall': [{ type: 'rate', windowMs }, -30 * shape.share],
      'total-time': [{ type: 'outside-time', windowMs, ...bounds }, 2 + Math.round(2 * shape.share)],
      repeated: [{ type: 'outside-count', windowMs, ...bounds }, 1],
      difference: [{ type: 'difference', otherChannelId, maxAgeMs: windowMs }, 1 + 5 * shape.share],
      'expected-high': [{ type: 'forecast', windowMs, horizonMs: 10 * MIN }, limit],
      'expected-low': [{ type: 'forecast', windowMs, horizonMs: 10 * MIN }, limit],
    } satisfies Record<LimitKind, readonly [LimitRule['signal'], number]>
  )[shape.kind];
  return {
    id: 0,
    kind: shape.kind,
    signal,
    level: shape.level,
    limit: compared,
    recoveryMargin: signal === null ? Math.round(shape.recoveryShare * (high - low) * 10) / 10 : 0,
    triggerAfterMs: shape.level === 1 ? shape.triggerAfterMs : Math.max(1_000, shape.triggerAfterMs),
    recoverAfterMs: shape.recoverAfterMs,
    gapAllowanceMs: GAP_ALLOWANCE_MS,
    limitIsOutside: shape.limitIsOutside,
  };
}

export interface KindsRules {
  channelId: number;
  name: ChannelName;
  rules: LimitRule[];
}

/** Gives the channels of a device its rules, as if it had been registered with them; returns them with their ids. */
export async function storeRules(databaseUrl: string, device: KindsDevice): Promise<KindsRules[]> {
  const channels = await queryDatabase<{ id: number; name: ChannelName }>(
    databaseUrl,
    `select c.id, c.indicator || '-' || s.index as name
       from channel c join sensor s on s.id = c.sensor_id join device d on d.id = c.device_id where d.number = $1`,
    [device.number],
  );
  const idOf = new Map(channels.map(({ id, name }) => [name, id]));
  const stored: KindsRules[] = [];
  for (const { id, name } of channels) {
    const rules: LimitRule[] = [];
    for (const shape of device.shapes.filter(({ channel }) => channel === name)) {
      const rule = ruleOf(shape, idOf.get('temperature-2') as number);
      const [row] = await queryDatabase<{ id: number }>(
        databaseUrl,
        `insert into alarm_rule (channel_id, kind, level, limit_value, recovery_margin, trigger_after_ms, recover_after_ms,
                                 limit_is_outside, signal, other_channel_id)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning id::float8 as id`,
        [
          id,
          rule.kind,
          rule.level,
          rule.limit,
          rule.recoveryMargin,
          rule.triggerAfterMs,
          rule.recoverAfterMs,
          rule.limitIsOutside,
          rule.signal,
          rule.signal && 'otherChannelId' in rule.signal ? rule.signal.otherChannelId : null,
        ],
      );
      rules.push({ ...rule, id: row?.id ?? 0 });
    }
    stored.push({ channelId: id, name, rules });
  }
  await queryDatabase(databaseUrl, 'update alarm_rule_revision set revision = revision + 1');
  return stored;
}

/** Alarms that the reference evaluator finds in all readings of a channel. */
export function impliedEpisodes(device: KindsDevice, { name, rules }: KindsRules): ReferenceEpisode[] {
  const versions = rules.map((rule) => ({
    rule,
    from: Number.NEGATIVE_INFINITY,
    until: Number.POSITIVE_INFINITY,
    endReason: 'rule-edited' as const,
  }));
  const others = new Map(
    rules.flatMap(({ signal }) =>
      signal && 'otherChannelId' in signal
        ? [[signal.otherChannelId, device.readings.get('temperature-2') ?? []] as const]
        : [],
    ),
  );
  return referenceEpisodes({ versions, gaps: [], quiet: [] }, device.readings.get(name) ?? [], others);
}

/** Stored alarms of a channel in the form of the reference, without those that late readings have refuted. */
export const storedEpisodes = (databaseUrl: string, channelId: number) =>
  queryDatabase<ReferenceEpisode>(
    databaseUrl,
    `select kind, (extract(epoch from since) * 1000)::float8 as since,
            (extract(epoch from raised_at) * 1000)::float8 as "raisedAt",
            (extract(epoch from ended_at) * 1000)::float8 as "endedAt", end_reason as "endReason",
            peak_level as "peakLevel", peak_value as peak, (extract(epoch from peak_at) * 1000)::float8 as "peakAt"
       from alarm where channel_id = $1 and end_reason is distinct from 'late-readings'
      order by since, raised_at, kind collate "C"`,
    [channelId],
  );
