import type { Alarm } from '@isotherm/contracts/alarms';
import type { AssetCard, AssetDetail, EarlierChannel, Sparkline } from '@isotherm/contracts/assets';
import { AppError } from '@isotherm/contracts/errors';
import { compareByAttention } from '@isotherm/domain/assets/attention';
import type pg from 'pg';
import type { Clock } from '../../platform/clock.ts';
import type { Caller } from '../../platform/http/caller.ts';
import { cardOf, lastSeen, toChannelValue, weakestBattery } from './asset-card.ts';
import {
  type AssetRow,
  type ChannelRow,
  findAssets,
  listAssets,
  listAttention,
  listChannels,
  listDevices,
  listPending,
  listRules,
  type RuleRow,
} from './assets.repo.ts';
import { listEarlierChannelRows } from './earlier-channels.repo.ts';

const SPARK_BUCKETS = 96;
const SPARK_STEP_MS = 15 * 60_000;
const ALARMS_ON_PAGE = 50;
const EARLIER_ON_PAGE = 200;

export interface Extremes {
  min: (number | null)[];
  max: (number | null)[];
}

export interface ScopedCard {
  card: AssetCard;
  organizationPath: string;
}

/** An asset, or a single channel of an asset. */
export interface MeasuringPlace {
  assetId: number;
  channelId: number | null;
}

export interface AssetsService {
  cards(caller: Pick<Caller, 'scope'>): Promise<AssetCard[]>;
  /** Returns the cards of these assets, limited to the scope if one is given, each with its organisation. */
  cardsOf(ids: readonly number[], scope?: string): Promise<ScopedCard[]>;
  /**
   * Returns the cards of these measuring places, in their order: for a channel its own value and state; null
   * for a measuring place that does not exist.
   */
  cardsAt(places: readonly MeasuringPlace[]): Promise<(AssetCard | null)[]>;
  sparklines(caller: Pick<Caller, 'scope'>, ids: readonly number[]): Promise<Sparkline[]>;
  detail(caller: Caller, id: number): Promise<AssetDetail>;
  earlier(caller: Caller, id: number): Promise<EarlierChannel[]>;
}

function groupBy<T>(rows: readonly T[], key: (row: T) => number): Map<number, T[]> {
  const groups = new Map<number, T[]>();
  for (const row of rows) {
    const group = groups.get(key(row));
    if (group) group.push(row);
    else groups.set(key(row), [row]);
  }
  return groups;
}

export function createAssetsService(
  pool: pg.Pool,
  clock: Clock,
  /** The alarms feature depends on assets, so the composition root injects this function. */
  alarmsOf: (assetId: number, limit: number) => Promise<Alarm[]>,
  /**
   * Returns the lowest and highest reading of each time bucket, null for an empty bucket. Injected by the
   * composition root, like `alarmsOf`.
   */
  extremesOf: (
    channelIds: readonly number[],
    from: number,
    to: number,
    stepMs: number,
  ) => Promise<Map<number, Extremes>>,
): AssetsService {
  /** Returns a function that builds the card of an asset, or of one of its channels. */
  async function cardMaker(assets: readonly AssetRow[]) {
    const ids = assets.map((asset) => asset.id);
    const now = clock.now();
    const [channels, alarms, pending] = await Promise.all([
      listChannels(pool, ids, now),
      listAttention(pool, ids),
      listPending(pool, ids),
    ]);
    const channelsOf = groupBy(channels, (row) => row.asset_id);
    const openOf = groupBy(alarms, (row) => row.asset_id);
    const pendingOf = groupBy(pending, (row) => row.asset_id);
    return (asset: AssetRow, channelId: number | null = null): AssetCard => {
      const of = <T extends { channel_id: number }>(rows: ReadonlyMap<number, T[]>) => {
        const own = rows.get(asset.id) ?? [];
        return channelId === null ? own : own.filter((row) => row.channel_id === channelId);
      };
      return cardOf(asset, of(channelsOf), of(openOf), of(pendingOf), now);
    };
  }

  async function cardsFor(assets: readonly AssetRow[]): Promise<ScopedCard[]> {
    if (assets.length === 0) return [];
    const make = await cardMaker(assets);
    return assets.map((asset) => ({ organizationPath: asset.organization_path, card: make(asset) }));
  }

  async function inScope(caller: Pick<Caller, 'scope'>, ids: readonly number[]): Promise<AssetRow[]> {
    return (await findAssets(pool, ids)).filter((asset) => asset.organization_path.startsWith(caller.scope));
  }

  return {
    async cards(caller) {
      const scoped = await cardsFor(await listAssets(pool, caller.scope));
      return scoped.map(({ card }) => card).sort(compareByAttention);
    },
    async cardsOf(ids, scope = '') {
      const found = await findAssets(pool, ids);
      return cardsFor(found.filter((asset) => asset.organization_path.startsWith(scope)));
    },
    async cardsAt(places) {
      const assets = await findAssets(pool, [...new Set(places.map(({ assetId }) => assetId))]);
      const make = await cardMaker(assets);
      const byId = new Map(assets.map((asset) => [asset.id, asset] as const));
      return places.map(({ assetId, channelId }) => {
        const asset = byId.get(assetId);
        return asset ? make(asset, channelId) : null;
      });
    },
    async sparklines(caller, ids) {
      const scoped = await cardsFor(await inScope(caller, ids));
      const mains = new Map(
        scoped.flatMap(({ card }) => (card.main ? [[card.main.channelId, card.id] as const] : [])),
      );
      const end = (Math.floor(clock.now() / SPARK_STEP_MS) + 1) * SPARK_STEP_MS;
      const from = end - SPARK_BUCKETS * SPARK_STEP_MS;
      const extremes = await extremesOf([...mains.keys()], from, end, SPARK_STEP_MS);
      return [...mains].map(([channelId, assetId]) => ({
        assetId,
        channelId,
        from: new Date(from).toISOString(),
        stepMs: SPARK_STEP_MS,
        ...(extremes.get(channelId) as Extremes),
      }));
    },
    /** Throws `asset.not_found`, also for an asset outside the caller's scope. */
    async detail(caller, id) {
      const [asset] = await inScope(caller, [id]);
      if (!asset) throw new AppError('asset.not_found');
      const [scoped] = await cardsFor([asset]);
      const [channels, devices, alarms] = await Promise.all([
        listChannels(pool, [id], clock.now()),
        listDevices(pool, id),
        alarmsOf(id, ALARMS_ON_PAGE),
      ]);
      const rules = groupBy(
        await listRules(
          pool,
          channels.map((row) => row.channel_id),
        ),
        (row) => row.channel_id,
      );
      return {
        ...(scoped as ScopedCard).card,
        model: asset.model,
        status: asset.status,
        timeZone: asset.time_zone,
        latitude: asset.latitude,
        longitude: asset.longitude,
        devices: devices.map((device) => {
          const own = channels.filter((row) => row.device_id === device.id);
          return {
            id: device.id,
            number: device.number,
            name: device.name,
            model: device.model,
            acquisitionIntervalMs: device.acquisition_interval_ms,
            expiresAt: device.expires_at?.toISOString() ?? null,
            lastSeenAt: lastSeen(own)?.toISOString() ?? null,
            battery: weakestBattery(own),
            signal: own.find((row) => row.indicator === 'signal')?.value ?? null,
            position:
              device.position_at === null
                ? null
                : {
                    latitude: device.latitude as number,
                    longitude: device.longitude as number,
                    speedKmh: device.speed_kmh,
                    measuredAt: device.position_at.toISOString(),
                  },
            channels: own.map((row) => toDetailChannel(row, rules.get(row.channel_id) ?? [])),
          };
        }),
        alarms,
      };
    },
    /** Throws `asset.not_found`, also for an asset outside the caller's scope. */
    async earlier(caller, id) {
      const [asset] = await inScope(caller, [id]);
      if (!asset) throw new AppError('asset.not_found');
      return (await listEarlierChannelRows(pool, id, EARLIER_ON_PAGE)).map((row) => ({
        channelId: row.channel_id,
        name: row.name,
        indicator: row.indicator,
        deviceNumber: row.device_number,
        sensorSerial: row.sensor_serial,
        from: row.first_at.toISOString(),
        until: row.last_at.toISOString(),
      }));
    },
  };
}

function toDetailChannel(row: ChannelRow, rules: readonly RuleRow[]) {
  return {
    ...toChannelValue(row),
    sensorIndex: row.sensor_index,
    sensorSerial: row.sensor_serial,
    rules: rules.map((rule) => ({
      id: rule.id,
      kind: rule.kind,
      level: rule.level,
      limitValue: rule.limit_value,
      recoveryMargin: rule.recovery_margin,
      triggerAfterMs: rule.trigger_after_ms,
      policy: rule.policy_id === null ? null : { id: rule.policy_id, name: rule.policy_name ?? '' },
    })),
  };
}
