import type { ReferenceEpisode, ReferenceReading } from '@isotherm/domain/alarms/reference';
import { referenceEpisodes } from '@isotherm/domain/alarms/reference';
import type { ChannelRules, RuleVersion } from '@isotherm/domain/alarms/rule-version';
import { createTranslator } from '@isotherm/i18n/translator';
import { createEndRetired } from '../features/alarms/end-retired.ts';
import { createDeviceBatches } from '../features/devices/registry/device-batches.ts';
import { createReplacement } from '../features/devices/registry/replacement.service.ts';
import { loadWindows } from '../features/telemetry/history.ts';
import { lockLanes } from '../features/telemetry/locks.ts';
import { createAudit } from '../platform/audit/audit.ts';
import type { Clock } from '../platform/clock.ts';
import type { Caller } from '../platform/http/caller.ts';
import { createSealing } from '../platform/sealing.ts';
import type { AlarmBench, BenchChannel } from './alarm-bench.ts';

/** An asset where a device can measure, and the rules of every channel there. */
export interface Place {
  versions: readonly RuleVersion[];
  quiet: ChannelRules['quiet'];
}

/** A period in which this device measured for this channel; its end is not included. */
interface Stint {
  from: number;
  number: string;
  channelId: number;
}

/** The expected rules of a channel; null for a channel without an asset. */
interface ExpectedChannel {
  rules: ChannelRules | null;
  readings: ReferenceReading[];
}

/**
 * A device that is bound to one of two assets or to none, or replaced by another one, with its expected
 * readings and alarms computed independently of the product. Changes take effect at the time of the clock.
 */
export interface MovingDevice {
  /** Numbers of both devices. */
  numbers: readonly string[];
  /** Returns the device that measured at this moment. */
  measuredBy(at: number): string;
  unbind(): Promise<void>;
  bind(place: 0 | 1): Promise<void>;
  /** Replaces this device by the other one. */
  replace(): Promise<void>;
  /** Edits the alarm rules of the current channel. */
  editRules(): Promise<void>;
  isBound(): boolean;
  /** Records acknowledged readings as expected. */
  received(readings: readonly ReferenceReading[]): void;
  /** Returns stored and expected alarms of each channel. */
  alarms(): Promise<{ found: ReferenceEpisode[][]; expected: ReferenceEpisode[][] }>;
  /** Returns stored and expected readings of each channel. */
  readings(): Promise<{ found: ReferenceReading[][]; expected: ReferenceReading[][] }>;
}

const translate = createTranslator();
const CALLER: Caller = {
  accountId: null,
  sessionId: null,
  username: 'bench',
  realname: 'Bench',
  organizationId: 1,
  scope: '/',
  permissions: new Set(),
  language: 'en',
  address: '',
};

/** Starts the test setup. `changed` is called with the changed devices after the commit. */
export async function startMovingDevice(
  bench: AlarmBench,
  places: readonly [Place, Place],
  intervalMs: number,
  clock: Clock,
  changed: (numbers: readonly string[]) => void,
): Promise<MovingDevice> {
  const { pool } = bench;
  const parts = {
    pool,
    clock,
    changed,
    audit: createAudit(pool, createSealing('a secret of the bench'), clock),
    translate,
    renewal: { bounds: () => Promise.reject(new Error('no device is renewed')) },
    onChannelsRetired: createEndRetired(clock, () => undefined),
    onDevicesRestored: async () => undefined,
    holdChannels: lockLanes,
  };
  const batches = createDeviceBatches(parts);
  const replacement = createReplacement(parts);

  const [first, second] = places;
  const home = await bench.channel({ versions: first.versions, intervalMs, quiet: first.quiet });
  const other = await bench.channel({ versions: [], intervalMs, quiet: second.quiet });
  const assetIds = [home.assetId, other.assetId];
  const devices: [BenchChannel, BenchChannel] = [home, other];
  const channels = new Map<number, ExpectedChannel>([
    [home.channelId, { rules: home.rules, readings: [] }],
    [other.channelId, { rules: null, readings: [] }],
  ]);
  const stints: Stint[] = [
    { from: Number.NEGATIVE_INFINITY, number: home.number, channelId: home.channelId },
  ];
  await unbindNumber(other.number);

  async function unbindNumber(number: string): Promise<void> {
    const { success } = await batches.unbind(CALLER, [number], 'Moved');
    if (success !== 1) throw new Error(`${number} was not unbound`);
  }

  const current = () => stints.at(-1) as Stint;
  const deviceOf = (number: string) => devices.find((device) => device.number === number) as BenchChannel;

  /** Returns the channel to which the readings of a device belong now, and its asset. */
  async function fedBy(number: string): Promise<{ id: number; asset_id: number | null }> {
    const { rows } = await pool.query<{ id: number; asset_id: number | null }>(
      'select id, asset_id from channel where device_id = $1 and retired_at is null',
      [deviceOf(number).deviceId],
    );
    if (rows.length !== 1) throw new Error(`${number} feeds ${rows.length} channels`);
    return rows[0] as { id: number; asset_id: number | null };
  }

  /** Ends the expected rules of the channel to which the device's readings belonged until now. */
  function retire(channelId: number): void {
    const channel = channels.get(channelId) as ExpectedChannel;
    const until = clock.now();
    if (channel.rules)
      channel.rules = {
        ...channel.rules,
        versions: channel.rules.versions.map((version) =>
          version.until === Number.POSITIVE_INFINITY
            ? { ...version, until, endReason: 'device-removed' as const }
            : version,
        ),
      };
  }

  async function begin(number: string, assetId: number | null): Promise<number> {
    const { id, asset_id } = await fedBy(number);
    if (asset_id !== assetId)
      throw new Error(`${number} measures at asset ${asset_id} instead of ${assetId}`);
    if (assetId !== null && channels.has(id)) throw new Error(`channel ${id} has begun twice`);
    if (!channels.has(id)) channels.set(id, { rules: null, readings: [] });
    stints.push({ from: clock.now(), number, channelId: id });
    return id;
  }

  async function comparedOf<T>(
    found: (channelId: number) => Promise<T[]>,
    expected: (channel: ExpectedChannel) => T[],
  ): Promise<{ found: T[][]; expected: T[][] }> {
    const all = [...channels];
    return {
      found: await Promise.all(all.map(([channelId]) => found(channelId))),
      expected: all.map(([, channel]) => expected(channel)),
    };
  }

  return {
    numbers: devices.map(({ number }) => number),
    measuredBy: (at) => (stints.findLast(({ from }) => from <= at) as Stint).number,
    isBound: () => channels.get(current().channelId)?.rules !== null,
    async unbind() {
      const { number, channelId } = current();
      await unbindNumber(number);
      retire(channelId);
      await begin(number, null);
    },
    async bind(place) {
      const { number } = current();
      const assetId = assetIds[place] as number;
      const { success } = await batches.bind(CALLER, [{ number, assetId }]);
      if (success !== 1) throw new Error(`${number} was not bound`);
      const channelId = await begin(number, assetId);
      const { versions, quiet } = places[place];
      const from = clock.now();
      const stored = await bench.addRules(
        channelId,
        versions.map((version) => ({ ...version, from })),
      );
      channels.set(channelId, { rules: { versions: stored, gaps: [], quiet }, readings: [] });
    },
    async replace() {
      const { number, channelId } = current();
      const next = devices.find((device) => device.number !== number) as BenchChannel;
      await replacement.replace(CALLER, number, next.number, 'Broken');
      const { id } = await fedBy(next.number);
      if (id !== channelId) throw new Error(`channel ${channelId} was not handed over`);
      stints.push({ from: clock.now(), number: next.number, channelId });
    },
    async editRules() {
      const { channelId } = current();
      const channel = channels.get(channelId) as ExpectedChannel;
      if (channel.rules) channel.rules = await bench.edit(channelId, channel.rules, clock.now());
    },
    received(readings) {
      for (const reading of readings) {
        const { channelId } = stints.findLast(({ from }) => from <= reading.at) as Stint;
        const known = (channels.get(channelId) as ExpectedChannel).readings;
        if (!known.some(({ at }) => at === reading.at)) known.push(reading);
      }
    },
    alarms: () =>
      comparedOf(bench.alarmsOf, ({ rules, readings }) => (rules ? referenceEpisodes(rules, readings) : [])),
    readings: () =>
      comparedOf(
        async (channelId) => {
          const windows = [{ channelId, from: 0, to: clock.now() + 1 }];
          const series = (await loadWindows(pool, windows)).get(channelId);
          return series ? Array.from(series.at, (at, i) => ({ at, value: series.value[i] as number })) : [];
        },
        ({ readings }) => [...readings].sort((a, b) => a.at - b.at),
      ),
  };
}
