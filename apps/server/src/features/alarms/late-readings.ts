import { type AlarmState, type LimitRule, NORMAL } from '@isotherm/domain/alarms/alarm-machine';
import {
  type Episode,
  isClear,
  REPLAY_START,
  type ReplayProgress,
  reconcile,
  replay,
  type StandingAlarm,
} from '@isotherm/domain/alarms/late-readings';
import type { Tx } from '../../platform/db/pool.ts';
import {
  type Amended,
  type Announced,
  amendAlarms,
  findRestBefore,
  insertAlarms,
  loadReadingsAfter,
  loadStandingAlarms,
  type NewAlarm,
  type StandingRow,
  saveStates,
} from './alarms.repo.ts';
import type { ChannelRules } from './rule-book.ts';

const CHUNK = 5_000;

/**
 * Plays again the stretch of a channel's history that late readings touched (domain: late-readings.ts) and
 * writes what follows. The stretch begins at the newest moment before them at which all machines stood
 * normal, and ends where they stand normal again in the old and in the new course of things; if that never
 * comes, the machines' memory is replaced too.
 */
export async function judgeLateReadings(
  tx: Tx,
  channel: ChannelRules,
  stretch: { earliest: number; latest: number },
  receivedAt: number,
): Promise<Announced[]> {
  const { low, high } = clearBand(channel.limit);
  const from =
    (await findRestBefore(tx, channel.channelId, stretch.earliest, low, high)) ?? Number.NEGATIVE_INFINITY;
  const standing = await loadStandingAlarms(tx, channel.channelId, from);

  const progress = new Map<number, ReplayProgress>(channel.limit.map((rule) => [rule.id, REPLAY_START]));
  let at = from;
  let settled = false;
  for (;;) {
    const readings = await loadReadingsAfter(tx, channel.channelId, at, CHUNK);
    const end = readings.findIndex(
      (reading) =>
        reading.at > stretch.latest &&
        isClear(channel.limit, reading.value) &&
        !standing.some((row) => row.since <= reading.at && (row.ended_at ?? Infinity) > reading.at),
    );
    // Machines with a recovery time may still be recovering at a clear reading: only rest on both sides settles.
    const stop = end === -1 ? readings.length : end + 1;
    for (const rule of channel.limit)
      progress.set(rule.id, replay(rule, readings.slice(0, stop), progress.get(rule.id)));
    at = readings[stop - 1]?.at ?? at;
    settled = end !== -1 && [...progress.values()].every(({ state }) => state.phase === 'normal');
    if (settled || (end === -1 && readings.length < CHUNK)) break;
  }

  const announced: Announced[] = [];
  for (const rule of channel.limit) {
    const { state, episodes } = progress.get(rule.id) as ReplayProgress;
    const before = standing.filter((row) => row.rule_id === rule.id && row.since <= at).map(toStandingAlarm);
    announced.push(...(await writeAmendments(tx, channel, rule, before, episodes, at, receivedAt)));
    if (!settled) await saveState(tx, channel.channelId, rule, state);
  }
  return announced;
}

async function saveState(tx: Tx, channelId: number, rule: LimitRule, state: AlarmState): Promise<void> {
  await saveStates(tx, [{ channel_id: channelId, rule_id: rule.id, state: state === NORMAL ? null : state }]);
}

/** The values at which every machine of the channel is at rest: see `isClear`. */
function clearBand(rules: readonly LimitRule[]): { low: number; high: number } {
  let low = Number.NEGATIVE_INFINITY;
  let high = Number.POSITIVE_INFINITY;
  for (const rule of rules) {
    // A hair inside the limit, so that the limit itself is not taken for clear.
    const target = rule.kind === 'high' ? rule.limit - rule.recoveryMargin : rule.limit + rule.recoveryMargin;
    const inside = rule.recoveryMargin > 0 ? 0 : 1e-6;
    if (rule.kind === 'high') high = Math.min(high, target - inside);
    else low = Math.max(low, target + inside);
  }
  return { low, high };
}

function toStandingAlarm(row: StandingRow): StandingAlarm {
  return {
    id: row.id,
    since: row.since,
    raisedAt: row.raised_at,
    value: row.value,
    peak: row.peak_value,
    peakAt: row.peak_at,
    endedAt: row.ended_at,
    recovering: row.state === 'recovering',
    refuted: row.end_reason === 'late-readings',
  };
}

function stateOf(episode: Episode): 'active' | 'recovering' | 'ended' {
  if (episode.endedAt !== null) return 'ended';
  return episode.recovering ? 'recovering' : 'active';
}

async function writeAmendments(
  tx: Tx,
  channel: ChannelRules,
  rule: LimitRule,
  before: readonly StandingAlarm[],
  episodes: readonly Episode[],
  playedUntil: number,
  receivedAt: number,
): Promise<Announced[]> {
  const amended: Amended[] = [];
  const inserted: NewAlarm[] = [];
  for (const amendment of reconcile(before, episodes, playedUntil)) {
    if (amendment.type === 'insert') {
      const { episode } = amendment;
      inserted.push({
        channel_id: channel.channelId,
        rule_id: rule.id,
        asset_id: channel.assetId,
        organization_id: channel.organizationId,
        kind: rule.kind,
        level: rule.level,
        state: stateOf(episode),
        since: episode.since,
        raised_at: episode.raisedAt,
        ended_at: episode.endedAt,
        end_reason: episode.endedAt === null ? null : 'recovered',
        limit_value: rule.limit,
        recovery_margin: rule.recoveryMargin,
        trigger_after_ms: rule.triggerAfterMs,
        value: episode.value,
        peak_value: episode.peak,
        peak_at: episode.peakAt,
        late: true,
        recorded_at: receivedAt,
      });
    } else if (amendment.type === 'amend') {
      const { episode } = amendment;
      amended.push({
        id: amendment.alarmId,
        state: stateOf(episode),
        since: episode.since,
        raised_at: episode.raisedAt,
        ended_at: episode.endedAt,
        end_reason: episode.endedAt === null ? null : 'recovered',
        peak_value: episode.peak,
        peak_at: episode.peakAt,
      });
    } else {
      const alarm = before.find((candidate) => candidate.id === amendment.alarmId) as StandingAlarm;
      amended.push({
        id: amendment.alarmId,
        state: 'ended',
        since: alarm.since,
        raised_at: alarm.raisedAt,
        ended_at: amendment.endedAt,
        end_reason: 'late-readings',
        peak_value: null,
        peak_at: null,
      });
    }
  }
  const announced: Announced[] = [];
  if (amended.length > 0) announced.push(...(await amendAlarms(tx, amended)));
  if (inserted.length > 0) announced.push(...(await insertAlarms(tx, inserted)));
  return announced;
}
