import { ASSET_KINDS } from '@isotherm/domain/assets/asset-kind';
import { ASSET_STATUSES } from '@isotherm/domain/assets/asset-status';
import { INDICATOR_NAMES } from '@isotherm/domain/readings/indicator';
import { z } from 'zod';
import { alarm, alarmKind, alarmLevel } from './alarms.ts';
import { defineRoute, id, idList, moment } from './route.ts';

/**
 * The current worst state of an asset. Order, worst first: an open alarm; readings outside a limit whose
 * trigger delay has not passed; no data for longer than allowed; acknowledged alarms; within limits.
 */
/** States in the order of packages/domain/src/assets/attention.ts. */
export const assetState = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('alarm'),
    alarmId: z.number().int(),
    level: alarmLevel,
    alarmKind,
    indicator: z.enum(INDICATOR_NAMES),
    /** Start of the excursion, independent of its current level. */
    since: moment,
    /** First limit that the excursion exceeded, in the canonical unit. */
    limitValue: z.number().nullable(),
    recovering: z.boolean(),
    acknowledgedBy: z.string().nullable(),
  }),
  /**
   * An alarm that ended before it was acknowledged (decision 22); `level` is the highest level that it
   * reached.
   */
  z.object({
    kind: z.literal('ended'),
    alarmId: z.number().int(),
    level: alarmLevel,
    alarmKind,
    indicator: z.enum(INDICATOR_NAMES),
    since: moment,
    endedAt: moment,
    limitValue: z.number().nullable(),
    peakValue: z.number().nullable(),
  }),
  z.object({
    kind: z.literal('pending'),
    level: alarmLevel,
    alarmKind,
    indicator: z.enum(INDICATOR_NAMES),
    since: moment,
    /** Time at which an alarm is raised if readings stay outside the limit. */
    dueAt: moment,
    limitValue: z.number().nullable(),
  }),
  z.object({
    kind: z.literal('unknown'),
    since: moment.nullable(),
    /** The alarm for missing data; null while no rule has raised one. */
    alarm: z
      .object({ alarmId: z.number().int(), level: alarmLevel, acknowledgedBy: z.string().nullable() })
      .nullable(),
  }),
  /** The subscriptions of all devices of the asset have expired; `since` is when the last one did (decision 33). */
  z.object({ kind: z.literal('expired'), since: moment }),
  /** The displayed value has no limits, so the asset has no state. */
  z.object({ kind: z.literal('unset') }),
  z.object({ kind: z.literal('normal') }),
]);
export type AssetState = z.output<typeof assetState>;

export const channelValue = z.object({
  channelId: z.number().int(),
  name: z.string(),
  indicator: z.enum(INDICATOR_NAMES),
  value: z.number().nullable(),
  measuredAt: moment.nullable(),
  /** Tightest lower limit in force, in the canonical unit. */
  low: z.number().nullable(),
  high: z.number().nullable(),
});
export type ChannelValue = z.output<typeof channelValue>;

export const assetCard = z.object({
  id: z.number().int(),
  kind: z.enum(ASSET_KINDS),
  name: z.string(),
  code: z.string(),
  place: z.string(),
  organizationId: z.number().int(),
  organizationName: z.string(),
  state: assetState,
  /**
   * The value that a card shows large: a temperature if there is one, preferably the one that causes
   * `state`. Null without sensors.
   */
  main: channelValue.nullable(),
  /** The channel that causes `state` if it is not `main`: mains power, a battery, a door. */
  cause: channelValue.nullable(),
  /** True if the value in `main` is out of date. */
  silent: z.boolean(),
  /** Number of alarms that are open, or ended and not acknowledged (decision 22). */
  attention: z.number().int(),
  /** Battery level in percent of the device with the lowest one; null if no device reports it. */
  battery: z.number().nullable(),
  /** Device time of the newest reading of any channel. */
  lastSeenAt: moment.nullable(),
});
export type AssetCard = z.output<typeof assetCard>;

export const listMonitorCards = defineRoute({
  name: 'listMonitorCards',
  method: 'GET',
  path: '/monitor/cards',
  access: 'monitor:view',
  summary: 'Every asset in scope with its worst state, worst first',
  response: z.object({ cards: z.array(assetCard), serverTime: moment }),
});

/**
 * Minimum and maximum per time bucket of the main channel. Null is a gap, and is never filled with a guess
 * (ui.md 3).
 */
export const sparkline = z.object({
  assetId: z.number().int(),
  channelId: z.number().int(),
  from: moment,
  stepMs: z.number().int(),
  min: z.array(z.number().nullable()),
  max: z.array(z.number().nullable()),
});
export type Sparkline = z.output<typeof sparkline>;

export const listSparklines = defineRoute({
  name: 'listSparklines',
  method: 'GET',
  path: '/monitor/sparklines',
  access: 'monitor:view',
  summary: 'The last 24 h of the main channel of up to 500 assets, 96 buckets each',
  query: z.object({ assetIds: idList(500) }),
  response: z.array(sparkline),
});

export const ruleInForce = z.object({
  id: z.number().int(),
  kind: alarmKind,
  level: alarmLevel,
  limitValue: z.number().nullable(),
  recoveryMargin: z.number().nullable(),
  triggerAfterMs: z.number().int(),
  /** Policy that the rule comes from; null if it was set when the device was registered. */
  policy: z.object({ id: z.number().int(), name: z.string() }).nullable(),
});

export const assetDetail = assetCard.extend({
  model: z.string(),
  status: z.enum(ASSET_STATUSES),
  timeZone: z.string(),
  latitude: z.number().nullable(),
  longitude: z.number().nullable(),
  devices: z.array(
    z.object({
      id: z.number().int(),
      number: z.string(),
      name: z.string(),
      model: z.string(),
      lastSeenAt: moment.nullable(),
      acquisitionIntervalMs: z.number().int(),
      /** End of its subscription; null without end. */
      expiresAt: moment.nullable(),
      battery: z.number().nullable(),
      /** Signal strength in dBm. */
      signal: z.number().nullable(),
      position: z
        .object({
          latitude: z.number(),
          longitude: z.number(),
          speedKmh: z.number().nullable(),
          measuredAt: moment,
        })
        .nullable(),
      channels: z.array(
        channelValue.extend({
          sensorIndex: z.number().int(),
          sensorSerial: z.string(),
          rules: z.array(ruleInForce),
        }),
      ),
    }),
  ),
  /** The newest 50 alarms, open ones first. */
  alarms: z.array(alarm),
});
export type AssetDetail = z.output<typeof assetDetail>;

export const getAsset = defineRoute({
  name: 'getAsset',
  method: 'GET',
  path: '/asset/:id',
  access: 'asset:view',
  summary: 'One asset with its devices, channels, live values, rules and alarms',
  params: z.object({ id }),
  response: assetDetail,
});

/**
 * A channel that measured an asset in the past. Its device was unbound or deleted, but its history is kept.
 */
export const earlierChannel = z.object({
  channelId: z.number().int(),
  name: z.string(),
  indicator: z.enum(INDICATOR_NAMES),
  deviceNumber: z.string(),
  sensorSerial: z.string(),
  /** Time of the oldest reading of the channel. */
  from: moment,
  until: moment,
});
export type EarlierChannel = z.output<typeof earlierChannel>;

/** Lists the newest 200 channels that measured the asset in the past. Throws `asset.not_found`. */
export const listEarlierChannels = defineRoute({
  name: 'listEarlierChannels',
  method: 'GET',
  path: '/asset/:id/earlier-channel',
  access: 'asset:view',
  summary: 'What measured on an asset before and does no more, the latest first',
  params: z.object({ id }),
  response: z.array(earlierChannel),
});
