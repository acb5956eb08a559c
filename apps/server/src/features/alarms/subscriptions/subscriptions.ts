import type { AlarmState } from '@isotherm/domain/alarms/alarm-machine';
import { ALARM_KINDS } from '@isotherm/domain/alarms/catalogue';
import { dayOf, withoutPeaks } from '@isotherm/domain/alarms/replay';
import { DAY_MS } from '@isotherm/domain/readings/sealed-day';
import type pg from 'pg';
import type { Clock } from '../../../platform/clock.ts';
import { isDatabaseAway, type Tx, transaction } from '../../../platform/db/pool.ts';
import { loadSeries, lockLanes } from '../../telemetry/index.ts';
import { forgetStates, loadStates } from '../alarms.repo.ts';
import { saveCheckpoints } from '../checkpoints.repo.ts';
import { evaluateClocks } from '../clock-alarms.ts';
import { checkSilencesNow } from '../due.repo.ts';
import { type Announced, endAlarms } from '../episodes.repo.ts';
import type { News } from '../evaluator.ts';
import { lastDayOf } from '../fresh-readings.ts';
import { evaluateLate, type LateStretch } from '../late-readings.ts';
import type { RuleBook } from '../rule-book.ts';
import { touchRules } from '../rules.repo.ts';
import {
  claimDueServices,
  type DueService,
  listDueServices,
  listServedChannels,
  listWrongClocks,
  postponeService,
  type ServedChannel,
  settleServices,
} from './subscriptions.repo.ts';

/** Devices whose alarms one transaction ends. */
const STOPPED_AT_ONCE = 200;
/** Renewed devices in one transaction, because it holds their lanes while it evaluates months of readings. */
const RESUMED_AT_ONCE = 2;
/** Channels whose readings are in memory at once. */
const CHANNELS_AT_ONCE = 8;
/** How far back the last reading before an expiry is searched, in days: most devices have sent one within a day. */
const BACK_DAYS = [1, 8, 64];

/**
 * Stops the data services of devices at their expiry and resumes them after a renewal (decision 33). Readings measured
 * after the expiry are not evaluated, which the evaluation itself decides (`ChannelPlan.expiresAt`); what is done here
 * is done once: alarms end at the expiry, and after a renewal the readings since then are evaluated as late ones.
 * Any number of processes may do so at the same time.
 */
export function createSubscriptionScan(
  pool: pg.Pool,
  rules: RuleBook,
  clock: Clock,
  announce: (news: News) => void,
  /** Takes why the data services of a device could not be stopped or resumed now. */
  onFailure: (deviceId: number, error: Error) => void,
) {
  /** Returns whether any of these devices were due. */
  async function settleTogether(deviceIds: readonly number[], now: number): Promise<boolean> {
    const news = await transaction(pool, async (tx) => {
      await lockLanes(tx, deviceIds);
      const due = await claimDueServices(tx, deviceIds, new Date(now));
      return due.length === 0 ? null : settle(tx, rules, due, now);
    });
    if (news) announce(news);
    return news !== null;
  }

  /** The same, but a device that fails is postponed and does not prevent the others. */
  async function settleEach(deviceIds: readonly number[], now: number): Promise<boolean> {
    try {
      return await settleTogether(deviceIds, now);
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      const [first] = deviceIds as [number];
      if (deviceIds.length === 1) {
        await postponeService(pool, first, new Date(now));
        onFailure(first, error as Error);
      } else for (const id of deviceIds) await settleEach([id], now);
      return true;
    }
  }

  /** Returns whether more devices may be due. */
  async function scanSome(): Promise<boolean> {
    const now = clock.now();
    const found = await listDueServices(pool, new Date(now), STOPPED_AT_ONCE);
    if (found.length === 0) return false;
    const resumed = found.filter(({ isResumed }) => isResumed).slice(0, RESUMED_AT_ONCE);
    const seeming = (resumed.length > 0 ? resumed : found).map(({ id }) => id);
    return settleEach(seeming, now);
  }

  return {
    async scan(): Promise<void> {
      while (await scanSome());
    },
  };
}

async function settle(tx: Tx, rules: RuleBook, due: readonly DueService[], now: number): Promise<News> {
  const channels = await listServedChannels(
    tx,
    due.map(({ deviceId }) => deviceId),
  );
  const ofDevice = new Map(due.map((service) => [service.deviceId, service]));
  const serviceOf = ({ deviceId }: ServedChannel) => ofDevice.get(deviceId) as DueService;
  // Processes that have not been told yet must not evaluate with the previous expiry.
  await touchRules(
    tx,
    channels.map(({ channelId }) => channelId),
  );
  const alarms = await resume(
    tx,
    rules,
    channels.filter((channel) => isResumed(serviceOf(channel))),
    serviceOf,
    now,
  );
  alarms.push(
    ...(await stop(
      tx,
      channels.filter((channel) => serviceOf(channel).expiresAt <= now),
      serviceOf,
      now,
    )),
  );
  await settleServices(
    tx,
    due.map(({ deviceId, expiresAt }) => ({
      device_id: deviceId,
      due: Number.isFinite(expiresAt) && expiresAt > now ? expiresAt : null,
      stopped: expiresAt <= now ? expiresAt : null,
    })),
  );
  return { alarms, assetIds: [...new Set(channels.flatMap(({ assetId }) => assetId ?? []))] };
}

/** True for a device that was renewed, or whose alarms were ended although it has not expired. */
const isResumed = ({ unevaluatedFrom, isStopped }: DueService) => unevaluatedFrom !== null || isStopped;

/**
 * Evaluates the readings since the last one before the previous expiry, up to the new expiry. That reading is evaluated again:
 * an alarm or a trigger delay that lasted then goes on, and the states of rules are stored for the days on which
 * readings were evaluated only, which the day of the expiry need not be.
 */
async function resume(
  tx: Tx,
  rules: RuleBook,
  channels: readonly ServedChannel[],
  serviceOf: (channel: ServedChannel) => DueService,
  now: number,
): Promise<Announced[]> {
  if (channels.length === 0) return [];
  const ids = channels.map(({ channelId }) => channelId);
  const plans = await rules.complete(tx, ids);
  const { machines } = await loadStates(tx, ids);
  const stretches: LateStretch[] = [];
  for (const channel of channels) {
    const { channelId, newestAt } = channel;
    const plan = plans.get(channelId);
    if (!plan || plan.versions.length === 0 || newestAt === null) continue;
    const since = Math.min(serviceOf(channel).unevaluatedFrom ?? newestAt, newestAt);
    const earliest = (await lastReadingBefore(tx, channelId, since)) ?? since;
    stretches.push({ plan, earliest, latest: newestAt + plan.reachMs, before: Number.POSITIVE_INFINITY });
  }
  const announced: Announced[] = [];
  for (let from = 0; from < stretches.length; from += CHANNELS_AT_ONCE)
    announced.push(
      ...(await evaluateLate(tx, stretches.slice(from, from + CHANNELS_AT_ONCE), machines, now)),
    );
  const renewed = channels.filter((channel) => serviceOf(channel).expiresAt > now);
  await checkSilencesNow(
    tx,
    renewed.map(({ channelId }) => channelId),
  );
  const deviceIds = [...new Set(renewed.map(({ deviceId }) => deviceId))];
  announced.push(...(await evaluateClocks(tx, await listWrongClocks(tx, deviceIds), now)));
  return announced;
}

/** Time of the last reading of a channel before a time; null if there is none nearby. */
async function lastReadingBefore(tx: Tx, channelId: number, moment: number): Promise<number | null> {
  for (const days of BACK_DAYS) {
    const series = await loadSeries(tx, [channelId], moment - days * DAY_MS, moment);
    const at = series.get(channelId)?.at.at(-1);
    if (at !== undefined) return at;
  }
  return null;
}

/**
 * Ends the open alarms of these channels at the expiry of their devices. Their states are kept as those of the
 * midnights until the expiry, since readings of these days may still arrive.
 */
async function stop(
  tx: Tx,
  channels: readonly ServedChannel[],
  serviceOf: (channel: ServedChannel) => DueService,
  now: number,
): Promise<Announced[]> {
  if (channels.length === 0) return [];
  const ids = channels.map(({ channelId }) => channelId);
  const { machines } = await loadStates(tx, ids);
  const checkpoints = channels.flatMap((channel) => {
    const states = machines.get(channel.channelId) ?? new Map<number, AlarmState>();
    const lastDay = lastDayOf(states);
    const untilDay = dayOf(serviceOf(channel).expiresAt - 1);
    if (lastDay === null || lastDay >= untilDay) return [];
    return [{ channelId: channel.channelId, day: lastDay + 1, untilDay, states: withoutPeaks(states) }];
  });
  if (checkpoints.length > 0) await saveCheckpoints(tx, checkpoints);
  await forgetStates(tx, ids);
  const ends = channels.map((channel) => ({
    channel_id: channel.channelId,
    ended_at: serviceOf(channel).expiresAt,
  }));
  const ended = await endAlarms(tx, ends, ALARM_KINDS, 'subscription-expired', now);
  return ended.map(({ id }): Announced => ({ id, topic: 'alarm.changed' }));
}
