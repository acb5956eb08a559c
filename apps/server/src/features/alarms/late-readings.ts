import { type AlarmState, type LimitRule, NORMAL } from '@isotherm/domain/alarms/alarm-machine';
import {
  type Episode,
  isClear,
  REPLAY_START,
  type ReplayProgress,
  reconcile,
  replay,
  type StandingAlarm,
  type TimedValue,
} from '@isotherm/domain/alarms/late-readings';
import type { Series } from '@isotherm/domain/readings/series';
import type { Tx } from '../../platform/db/pool.ts';
import { readingsAfter, readingsBefore } from '../telemetry/index.ts';
import {
  type Amended,
  type Announced,
  amendAlarms,
  insertAlarms,
  loadStandingAlarms,
  type NewAlarm,
  type StandingRow,
  saveStates,
} from './alarms.repo.ts';
import type { ChannelRules } from './rule-book.ts';

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
  const from = await findRestBefore(tx, channel, stretch.earliest);
  const standing = await loadStandingAlarms(tx, channel.channelId, from);

  const progress = new Map<number, ReplayProgress>(channel.limit.map((rule) => [rule.id, REPLAY_START]));
  let at = from;
  let settled = false;
  chunks: for await (const series of readingsAfter(tx, channel.channelId, from)) {
    let rest = timedValues(series);
    while (rest.length > 0) {
      const end = rest.findIndex(
        (reading) =>
          reading.at > stretch.latest &&
          isClear(channel.limit, reading.value) &&
          !isUnderAlarm(standing, reading.at),
      );
      const played = end === -1 ? rest : rest.slice(0, end + 1);
      for (const rule of channel.limit)
        progress.set(rule.id, replay(rule, played, progress.get(rule.id), channel.quiet.limits));
      at = (played.at(-1) as TimedValue).at;
      // Machines with a recovery time may still be recovering at a clear reading: only rest on both sides settles.
      settled = end !== -1 && [...progress.values()].every(({ state }) => state.phase === 'normal');
      if (settled) break chunks;
      rest = rest.slice(played.length);
    }
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

/**
 * Time of the newest reading before `before` that is clear and under no alarm: there every machine of the channel
 * stood normal. Minus infinity when there is none.
 */
async function findRestBefore(tx: Tx, channel: ChannelRules, before: number): Promise<number> {
  for await (const series of readingsBefore(tx, channel.channelId, before)) {
    const standing = await loadStandingAlarms(tx, channel.channelId, series.at[0] as number);
    const rest = timedValues(series).findLast(
      ({ at, value }) => isClear(channel.limit, value) && !isUnderAlarm(standing, at),
    );
    if (rest) return rest.at;
  }
  return Number.NEGATIVE_INFINITY;
}

function isUnderAlarm(standing: readonly StandingRow[], at: number): boolean {
  return standing.some((row) => row.since <= at && (row.ended_at ?? Number.POSITIVE_INFINITY) > at);
}

function timedValues({ at, value }: Series): TimedValue[] {
  return Array.from(at, (moment, index) => ({ at: moment, value: value[index] as number }));
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
